package api

import (
	"bytes"
	"encoding/json"

	"github.com/toolscript/toolscript"
)

// harness answers POST /harness with a stream of items, one per line, or with an error if
// the answer of the model cannot be read. The last line is the event "end".
func (s *Server) harness(x *exchange) error {
	var req toolscript.HarnessRequest
	if err := decode(x.body, &req); err != nil {
		return err
	}
	if len(req.Items) == 0 || bytes.Equal(req.Items, []byte("null")) {
		return invalid("the body is wrong at /items: the answer of the model is missing")
	}
	return newStream(x).answer(func(st *stream) error {
		if err := s.backend.Harness(x.ctx, req, st.item); err != nil {
			return err
		}
		return st.emit(toolscript.EndEvent("", toolscript.End{OK: true}))
	})
}

// item sends one item.
func (st *stream) item(item json.RawMessage) error {
	select {
	case <-st.x.gone: // checked first, as in emit
		return errClientGone
	default:
	}
	if !st.put(line{text: item, rest: []byte("\n")}) {
		return errClientGone
	}
	return nil
}
