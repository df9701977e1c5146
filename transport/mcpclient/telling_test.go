package mcpclient_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/mcpclient"
)

func TestDialErrorNamesTheReason(t *testing.T) {
	for name, tt := range map[string]struct{ stderr, want string }{
		"no output":       {"", "it ended"},
		"one line":        {"no key was given", "it ended: no key was given"},
		"Python":          {"Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'TOKEN'", "it ended: KeyError: 'TOKEN'"},
		"node":            {"node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\nError: Cannot find module '/x.mjs'\n    at Module._load (node:x:1:2) {\n  code: 'MODULE_NOT_FOUND',\n}\nNode.js v20.20.2", "it ended: Error: Cannot find module '/x.mjs'"},
		"node, with code": {"TypeError [ERR_INVALID_ARG_TYPE]: it must be a string\n    at a (b:1)\nNode.js v20.20.2", "it ended: TypeError [ERR_INVALID_ARG_TYPE]: it must be a string"},
		"node, a text":    {"[a text was thrown]\nNode.js v20.20.2", "it ended: Node.js v20.20.2"},
		"npm":             {"npm error code E404\nnpm error 404 Not Found - GET https://registry.example/none\nnpm error 404\nnpm error A complete log of this run can be found in: /x", "it ended: 404 Not Found - GET https://registry.example/none"},
		"npm, only a log": {"npm error A complete log of this run can be found in: /x", "it ended: A complete log of this run can be found in: /x"},
	} {
		t.Run(name, func(t *testing.T) {
			err := &mcpclient.DialError{Err: errors.New("it ended")}
			if tt.stderr != "" {
				err.Stderr = strings.Split(tt.stderr, "\n")
			}
			if got := err.Error(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
