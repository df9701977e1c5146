package gateway

import (
	"errors"

	"github.com/toolscript/toolscript"
)

// exec answers POST /exec: with an error while the run has not begun, and from
// its first event on with a stream of events, one a line.
func (s *Server) exec(x *exchange) error {
	req, err := parseExec(x.c.Request().Body())
	if err != nil {
		return err
	}
	st := newStream(x)
	go st.run(req)
	select {
	case first := <-st.lines:
		st.send(first)
		return nil
	case <-st.ended:
	}
	select {
	case first := <-st.lines: // a run can be over before its first event is taken
		st.send(first)
		return nil
	default:
		return st.outcome()
	}
}

// errNoEnd is a fault of the Backend.
var errNoEnd = &toolscript.Error{Kind: toolscript.Internal, Err: errors.New("the run stopped without its last event")}

// noCode marks a request without code, which is a mistake; one with an empty
// script is not. It is not UTF-8, so no body can hold it.
const noCode = "\xff"

func parseExec(body []byte) (toolscript.ExecRequest, error) {
	req := toolscript.ExecRequest{Code: noCode}
	if err := decode(body, &req); err != nil {
		return toolscript.ExecRequest{}, err
	}
	if req.Code == noCode {
		return toolscript.ExecRequest{}, &toolscript.Error{
			Kind: toolscript.Invalid, Err: errors.New("the body is wrong at /code: it is missing; it is the text of the script"),
			Details: []toolscript.Detail{{Path: "/code", Message: "is missing; it is the text of the script"}},
		}
	}
	return req, req.Validate()
}
