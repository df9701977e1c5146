package api

import (
	"errors"

	"github.com/toolscript/toolscript"
)

// exec answers POST /exec with a stream of events, one per line, or with an error if the
// run does not begin.
func (s *Server) exec(x *exchange) error {
	req, err := parseExec(x.body, x.client())
	if err != nil {
		return err
	}
	req.Trace = x.trace()
	return newStream(x).answer(func(st *stream) error { return s.backend.Exec(x.ctx, req, st.emit) })
}

// errNoEnd is the error for a Backend that does not emit the last event.
var errNoEnd = &toolscript.Error{Kind: toolscript.Internal, Err: errors.New("the run stopped without its last event")}

// noCode marks a request without code. Unlike an empty script, that is a mistake. noCode is
// not UTF-8, so no body can contain it.
const noCode = "\xff"

func parseExec(body []byte, client string) (toolscript.ExecRequest, error) {
	req := toolscript.ExecRequest{Code: noCode, Rules: toolscript.Rules{Client: client}}
	if err := decode(body, &req); err != nil {
		return toolscript.ExecRequest{}, err
	}
	if req.Code == noCode {
		return toolscript.ExecRequest{}, &toolscript.Error{
			Kind: toolscript.Invalid, Err: errors.New("the body is wrong at /code: the text of the script is missing"),
			Details: []toolscript.Detail{{Path: "/code", Message: "the text of the script is missing"}},
		}
	}
	return req, req.Validate()
}
