// Package rosbridge speaks the rosbridge v2 protocol: JSON operations over a WebSocket, by which programs without ROS publish,
// subscribe, call services and run actions. Everything around rosbridge_suite (roslibjs, roslibpy, Foxglove) works with it unchanged.
//
//	roslibjs, roslibpy, …             robot without ROS              robot with ROS
//	Client ──────────frames─────────► Broker ◄──attachments── bus    rosbridge_suite ◄──frames── Client
//
// Three parts:
//
//   - Frames and encodings: [Frame] is one operation; [ParseFrame] and [Frame.AppendJSON] are its JSON, [ParseCBOR] its CBOR,
//     [DecodePNG] and [EncodePNG] the png wrapping, [AppendFragments] and [Assembler] the cutting of long frames.
//   - [Broker], an [net/http.Handler], is the server. It needs no ROS; a robot's own bus joins it through [Broker.Attach].
//   - Client is the other end, for somebody else's server as well as for a Broker.
//
// Message bodies stay raw JSON text unless somebody needs them decoded, so that types which nobody here knows pass through with every
// digit, and one encoding of a message serves all who want it.
//
// The protocol, the choices that its documents leave and the tests that prove each sentence are in docs/protocols/rosbridge.md.
package rosbridge
