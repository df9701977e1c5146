package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	var wrong []toolscript.Detail
	if req.Code == noCode {
		wrong = append(wrong, toolscript.Detail{Path: "/code", Message: "is missing; it is the text of the script"})
	}
	if !slices.Contains([]string{"", "off", "warn", "error"}, req.Check) {
		wrong = append(wrong, toolscript.Detail{Path: "/check", Message: fmt.Sprintf("must be off, warn or error, not %.50q", req.Check)})
	}
	wrong = append(wrong, negatives(req.Limits)...)
	if len(wrong) > 0 {
		first := fmt.Errorf("the body is wrong at %s: it %s", wrong[0].Path, wrong[0].Message)
		return toolscript.ExecRequest{}, &toolscript.Error{Kind: toolscript.Invalid, Err: first, Details: wrong}
	}
	return req, nil
}

// negatives finds the limits below zero by their JSON names, so that a limit
// that is added to the contract is looked at too.
func negatives(l toolscript.Limits) []toolscript.Detail {
	text, _ := json.Marshal(l) // a struct of numbers always encodes
	var limits map[string]int64
	_ = json.Unmarshal(text, &limits)
	var wrong []toolscript.Detail
	for name, value := range limits {
		if value < 0 {
			wrong = append(wrong, toolscript.Detail{Path: "/limits/" + name, Message: "must not be negative"})
		}
	}
	slices.SortFunc(wrong, func(a, b toolscript.Detail) int { return strings.Compare(a.Path, b.Path) })
	return wrong
}
