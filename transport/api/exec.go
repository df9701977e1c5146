package api

import (
	"errors"

	"github.com/toolscript/toolscript"
)

// noCode marks a request without code. Unlike an empty script, that is a mistake. noCode is
// not UTF-8, so no body can contain it.
const noCode = "\xff"

// parseExec reads the request for a run. client names the client that sends it.
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
