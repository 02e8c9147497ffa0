// Package ws is the server's side of the WebSocket protocol (RFC 6455), reduced to what a broker needs: it accepts connections, reads
// whole messages, and appends frames to a buffer, so that many small messages leave in one write.
//
// It has no extensions and no subprotocols. Control frames come out of [Conn.Read] like messages: who reads decides what to answer, and
// who writes is somebody else. Neither side takes a lock: one goroutine may read while another writes.
package ws
