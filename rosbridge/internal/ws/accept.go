package ws

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // the protocol asks for it; nothing secret depends on it
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// IsUpgrade reports whether the request asks for a WebSocket.
func IsUpgrade(r *http.Request) bool { return hasToken(r.Header, "Upgrade", "websocket") }

// Accept answers the opening handshake and takes the connection over. When the request is not a valid handshake it answers with the
// fitting HTTP error, and returns what was wrong.
func Accept(w http.ResponseWriter, r *http.Request) (*Conn, error) {
	key := r.Header.Get("Sec-WebSocket-Key")
	raw, err := base64.StdEncoding.DecodeString(key)
	switch {
	case r.Method != http.MethodGet:
		return nil, refuse(w, http.StatusMethodNotAllowed, "the handshake is a GET request")
	case !r.ProtoAtLeast(1, 1) || r.ProtoMajor != 1:
		return nil, refuse(w, http.StatusUpgradeRequired, "the handshake needs HTTP/1.1")
	case !IsUpgrade(r) || !hasToken(r.Header, "Connection", "upgrade"):
		return nil, refuse(w, http.StatusUpgradeRequired, "connect with a WebSocket")
	case r.Header.Get("Sec-WebSocket-Version") != "13":
		w.Header().Set("Sec-WebSocket-Version", "13")
		return nil, refuse(w, http.StatusUpgradeRequired, "the WebSocket version is 13")
	case err != nil || len(raw) != 16:
		return nil, refuse(w, http.StatusBadRequest, "Sec-WebSocket-Key is not 16 bytes in base64")
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, refuse(w, http.StatusInternalServerError, fmt.Sprintf("take over the connection: %v", err))
	}
	answer := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + acceptKey(key) + "\r\n\r\n"
	// The server's own time-outs are for requests; who uses the connection sets its own.
	if err := errors.Join(conn.SetDeadline(time.Time{}), writeString(conn, answer)); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("answer the WebSocket handshake: %w", err)
	}
	return NewConn(conn, rw.Reader), nil
}

func writeString(conn net.Conn, s string) error {
	_, err := conn.Write([]byte(s))
	return err
}

func refuse(w http.ResponseWriter, code int, why string) error {
	if code == http.StatusUpgradeRequired {
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
	}
	http.Error(w, why, code)
	return errors.New(why)
}

// acceptKey proves to the client that the server speaks WebSocket (RFC 6455 section 4.2.2).
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // as above
	return base64.StdEncoding.EncodeToString(sum[:])
}

// hasToken reports whether a comma-separated header holds a token, in any case.
func hasToken(h http.Header, name, token string) bool {
	for _, line := range h.Values(name) {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}

// NewConn returns a Conn on a connection whose handshake is done. r may hold bytes that were read from conn already.
func NewConn(conn net.Conn, r *bufio.Reader) *Conn { return &Conn{Conn: conn, r: r} }
