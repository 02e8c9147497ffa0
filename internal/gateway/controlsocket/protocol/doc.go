// Package protocol is the language of the control socket: JSON values, one a line, requests one way and replies the other.
//
//	→ {"id":1,"op":"graph"}
//	← {"id":1,"graph":{"topics":[…],"nodes":[…],"services":[…]}}
//
//	→ {"id":2,"op":"publish","publication":{"topic":"/control/estop_request","message":{"data":"test"}}}
//	← {"id":2}
//
//	→ {"id":3,"op":"call","service":"/control/estop/release","request":{},"timeout_ms":2000}
//	← {"id":3,"response":{"success":true,"message":""}}
//
//	→ {"id":4,"op":"watch","topic":"/control/status","depth":16}
//	← {"id":4}
//	← {"id":4,"sample":{"at":"2026-01-02T03:04:05.5Z","lost":0,"message":{…}}}
//	→ {"id":4,"op":"unwatch"}
//	← {"id":4}
//
// A refusal is {"id":4,"error":{"code":"unknown_topic","message":"…"}}. A line that is no request gets one with the id 0, and the
// connection goes on. Samples of one watch arrive in order; a reader that is slow loses the oldest ones, which "lost" counts. Other
// replies are never lost.
package protocol
