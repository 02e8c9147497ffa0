package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"sarathi/internal/gateway/controlsocket/graph"
)

// Reply is one line from the robot: a result, a refusal, or one sample of a watch.
type Reply struct {
	ID       int64           `json:"id"` // of the request, 0 when that could not be read
	Error    *graph.Error    `json:"error,omitempty"`
	Graph    *graph.Graph    `json:"graph,omitempty"`
	Response json.RawMessage `json:"response,omitempty"` // of a call
	Sample   *graph.Sample   `json:"sample,omitempty"`
}

// AppendReply appends a reply that is not a sample as one line.
func AppendReply(dst []byte, r *Reply) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return dst, fmt.Errorf("encode reply: %w", err)
	}
	return append(append(dst, text...), '\n'), nil
}

// AppendSample appends a sample as one line. message is JSON already and is not looked at again, however large; nil leaves it out.
func AppendSample(dst []byte, id int64, at time.Time, lost uint64, message []byte) []byte {
	dst = append(dst, `{"id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"sample":{"at":"`...)
	dst = at.UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `","lost":`...)
	dst = strconv.AppendUint(dst, lost, 10)
	if message != nil {
		dst = append(dst, `,"message":`...)
		begin := len(dst)
		dst = append(dst, message...)
		keepOneLine(dst[begin:])
	}
	return append(dst, "}}\n"...)
}

// keepOneLine replaces line breaks, which in JSON stand only where any blank may stand.
func keepOneLine(text []byte) {
	for i := bytes.IndexByte(text, '\n'); i >= 0; {
		text[i] = ' '
		next := bytes.IndexByte(text[i:], '\n')
		if next < 0 {
			return
		}
		i += next
	}
}
