// Package tagdetector finds AprilTags in the camera's images and says where they are.
//
//	/<robot_ns>/image, camera_info ──► decode, detect ──► both poses of each tag ──► /perception/tags
//
// It works while somebody subscribes to the tags and not otherwise, so that nothing is rendered, compressed or searched for nothing: at most
// rate times a second, one image at a time, away from the loop; images that come meanwhile are passed over. Poses are those of the corners,
// improved by the whole picture of the tag (package tagpose), in the frame and at the time of the image. An image without tags is reported,
// too: nothing in view is news.
package tagdetector
