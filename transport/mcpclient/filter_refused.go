package mcpclient

import (
	"bufio"
	"bytes"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// refuse skips the rest of a message that is too large or, for mcp-go, nested too deeply, and fails its call with r.
// The message begins with head, and piece is its last part so far. ok is false if the message belongs to no call.
func (f *filter) refuse(in *bufio.Reader, head, piece []byte, more bool, r reply) (ok bool, err error) {
	lastPart := bytes.Clone(piece[max(0, len(piece)-edge):])
	end, skipped, err := skip(in, more)
	switch {
	case err != nil:
		return false, err
	case skipped > maxSkipped:
		return false, errTooLarge
	}
	return f.refused(httptransport.In(head, append(lastPart, end...)), r), nil
}

// refuseDeep refuses a message that is nested too deeply.
func (f *filter) refuseDeep(in *bufio.Reader, head, piece []byte, more bool) error {
	_, err := f.refuse(in, head, piece, more, reply{failure: &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: rawjson.ErrTooDeep.Error()}})
	return err
}

// skip reads to the end of a line. It returns the last bytes of the line and the
// number of bytes skipped. It stops after maxSkipped bytes.
func skip(in *bufio.Reader, more bool) (end []byte, skipped int, err error) {
	for more && skipped <= maxSkipped {
		var piece []byte
		if piece, more, err = next(in); err != nil {
			return nil, skipped, err
		}
		skipped += len(piece)
		end = append(end, piece...)
		end = end[max(0, len(end)-edge):]
	}
	return end, skipped, nil
}
