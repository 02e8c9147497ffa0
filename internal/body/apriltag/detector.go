package apriltag

import "errors"

// ErrMissing is matched by the errors of [Open] where the library is not installed, is another version than this program knows, or was left
// out of the program.
var ErrMissing = errors.New("AprilTags cannot be detected")

// Check says why [Open] would fail, or nothing.
func Check() error {
	d, err := Open()
	if err == nil {
		d.Close()
	}
	return err
}

// Install is what a user does about a missing library.
const Install = "apt-get install libapriltag3"
