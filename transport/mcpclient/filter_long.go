package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// long handles a message that does not fit into the buffer. piece is its first part; deep has
// already measured that part.
func (f *filter) long(in *bufio.Reader, piece []byte, deep *rawjson.Meter) error {
	lease := f.answers.Lease(f.ctx)
	defer lease.Release()
	var message budget.Buffer
	for more := true; ; {
		if message.Len()+len(piece) > f.limit {
			head := bytes.Clone(message.Bytes()[:min(message.Len(), edge)])
			message.Reset(lease)
			if ok, err := f.refuse(in, head, piece, more, reply{err: httptransport.ErrTooLarge}); err != nil || ok {
				return err
			}
			return errTooLarge
		}
		if err := message.Write(f.ctx, lease, piece, f.limit); err != nil {
			return err
		}
		if !more {
			break
		}
		var err error
		if piece, more, err = next(in); err != nil {
			return err
		}
		if deep.TooDeep(piece) {
			head := bytes.Clone(message.Bytes()[:min(message.Len(), edge)])
			message.Reset(lease)
			return f.refuseDeep(in, head, piece, more)
		}
	}
	if f.take == nil || !f.take(message.Bytes(), lease) {
		_, _ = f.to.Write(message.Bytes()) // fails only after mcp-go has ended
	}
	return nil
}

// next returns the next part of a line, valid until the next read, and whether the
// line continues after it.
func next(in *bufio.Reader) (piece []byte, more bool, err error) {
	piece, err = in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return piece, true, nil
	}
	if len(piece) > 0 && errors.Is(err, io.EOF) {
		return piece, false, nil // a last line without a line break; the next read returns EOF again
	}
	return piece, false, err
}
