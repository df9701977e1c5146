package commands

import (
	_ "embed"

	"github.com/toolscript/toolscript/transport/upstream"
)

//go:embed keys.json
var keys string

// Kind is the kind of servers whose tools are programs that the configuration declares.
var Kind = upstream.Kind{
	Type: upstream.Command, About: "are programs that commands declares", Page: "apis.md#commands",
	Required: `"required": ["commands"]`, Schema: keys, Keys: []string{"commands", "env", "inheritEnv", "confine", "root", "exec"},
	Paths: [][]string{{"root"}, {"exec", "writable", "*"}, {"confine", "read", "*"}, {"confine", "write", "*"}}, Functions: true,
	Missing: func(env []string, cfg upstream.Config) (string, error) {
		return `install the program, or correct "run"`, FindPrograms(env, cfg)
	},
	Dial: func(h upstream.Host) upstream.Dial { return upstream.DialWith(Dialer(h).Dial) },
}
