package mcpclient_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/mcpclient"
)

func TestDialErrorNamesTheReason(t *testing.T) {
	for name, tt := range map[string]struct{ stderr, want string }{
		"no output":                       {"", "it ended"},
		"one line":                        {"no key was given", "it ended: no key was given"},
		"Python":                          {"Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'TOKEN'", "it ended: KeyError: 'TOKEN'"},
		"node":                            {"node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\nError: Cannot find module '/x.mjs'\n    at Module._load (node:x:1:2) {\n  code: 'MODULE_NOT_FOUND',\n}\nNode.js v20.20.2", "it ended: Error: Cannot find module '/x.mjs'"},
		"node, with code":                 {"TypeError [ERR_INVALID_ARG_TYPE]: it must be a string\n    at a (b:1)\nNode.js v20.20.2", "it ended: TypeError [ERR_INVALID_ARG_TYPE]: it must be a string"},
		"node, a text":                    {"[a text was thrown]\nNode.js v20.20.2", "it ended: [a text was thrown]"},
		"npm":                             {"npm error code E404\nnpm error 404 Not Found - GET https://registry.example/none\nnpm error 404\nnpm error A complete log of this run can be found in: /x", "it ended: 404 Not Found - GET https://registry.example/none"},
		"npm, only a log":                 {"npm error A complete log of this run can be found in: /x", "it ended: npm error A complete log of this run can be found in: /x"},
		"npx, the program's own error":    {"Error: no key\nnpm error code 1\nnpm error path /x\nnpm error command failed\nnpm error command sh -c server\nnpm error A complete log of this run can be found in: /x", "it ended: Error: no key"},
		"node, an object after the stack": {"node:internal/errors:541\nError: listen EADDRINUSE: address already in use :::80\nat Server.setupListenHandle [as _listen2] (node:net:1)\ncode: 'EADDRINUSE',\n}", "it ended: Error: listen EADDRINUSE: address already in use :::80"},
		"node, caught":                    {"Fatal error in main(): Error: GITHUB_TOKEN is not set\nat main (file:///x.js:1:1)\nat async x", "it ended: Fatal error in main(): Error: GITHUB_TOKEN is not set"},
		"cobra":                           {"Error: unknown flag: --stdio\nUsage:\nserver [flags]\nFlags:\n-h, --help   help for server\n--port int   the port (default 80)", "it ended: Error: unknown flag: --stdio"},
		"click":                           {"Usage: server [OPTIONS]\nTry 'server --help' for help.\nError: No such option: --stdio", "it ended: Error: No such option: --stdio"},
		"argparse":                        {"usage: server [-h] --key KEY\nserver: error: the following arguments are required: --key", "it ended: server: error: the following arguments are required: --key"},
		"yargs":                           {"server [command]\nOptions:\n--help  Show help  [boolean]\nMissing required argument: key", "it ended: Missing required argument: key"},
		"yargs, before the options":       {"Unknown argument: stdio\nOptions:\n--help     Show help  [boolean]\n--version  Show version number  [boolean]", "it ended: Unknown argument: stdio"},
		"clap":                            {"error: unexpected argument '--stdio' found\nUsage: server [OPTIONS]\nFor more information, try '--help'.", "it ended: error: unexpected argument '--stdio' found"},
		"Rust":                            {"thread 'main' panicked at src/main.rs:2:5:\nno key\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace", "it ended: no key"},
		"Go":                              {"panic: no key\ngoroutine 1 [running]:\nmain.main()\n/x/main.go:4 +0x18\nexit status 2", "it ended: panic: no key"},
		"Python, pydantic":                {"Traceback (most recent call last):\nFile \"x.py\", line 1, in <module>\nSettings()\npydantic_core._pydantic_core.ValidationError: 1 validation error for Settings\ntoken\nField required [type=missing, input_value={}, input_type=dict]\nFor further information visit https://errors.example/v/missing", "it ended: pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings"},
		"Python, no module":               {"Traceback (most recent call last):\nFile \"x.py\", line 1\nModuleNotFoundError: No module named 'mcp'\n", "it ended: ModuleNotFoundError: No module named 'mcp'"},
		"uv, no interpreter":              {"error: No interpreter found for Python 3.19 in managed installations or search path\nhint: uv embeds available Python downloads and may require an update", "it ended: error: No interpreter found for Python 3.19 in managed installations or search path"},
		"uv, an older Python":             {"Downloading numpy (16.1MiB)\nerror: No solution found when resolving tool dependencies\ncause: Because the current Python version (3.11.7) does not satisfy Python>=3.12 and x==1 depends on Python>=3.12, we can conclude that x==1 cannot be used.\nAnd because only x==1 is available and you require x, we can conclude that your requirements are unsatisfiable.", "it ended: error: No solution found when resolving tool dependencies: Because the current Python version (3.11.7) does not satisfy Python>=3.12 and x==1 depends on Python>=3.12, we can conclude that x==1 cannot be used."},
		"uv, older":                       {"× No solution found when resolving tool dependencies:\n╰─▶ Because the current Python version (3.11.7) does not satisfy Python>=3.12, x==1 cannot be used.\nhint: The `requires-python` value includes Python 3.11.", "it ended: No solution found when resolving tool dependencies: Because the current Python version (3.11.7) does not satisfy Python>=3.12, x==1 cannot be used."},
		"a log":                           {"2026-01-02 10:11:12 INFO starting\n2026-01-02 10:11:12 [ERROR] no route to the database\n2026-01-02 10:11:13 INFO stopping", "it ended: 2026-01-02 10:11:12 [ERROR] no route to the database"},
		"a log in JSON":                   {"{\"level\":\"info\",\"msg\":\"start\"}\n{\"level\":\"error\",\"msg\":\"no key\"}\n{\"level\":\"info\",\"msg\":\"stop\"}", "it ended: {\"level\":\"error\",\"msg\":\"no key\"}"},
		"brackets only":                   {"}\n]", "it ended: ]"},
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
