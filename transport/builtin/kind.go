package builtin

import (
	_ "embed"
	"os"

	"github.com/toolscript/toolscript/transport/builtin/web"
	"github.com/toolscript/toolscript/transport/builtin/workspace"
	"github.com/toolscript/toolscript/transport/upstream"
)

//go:embed keys.json
var keys string

// Kind is the kind of servers of built-in tools.
var Kind = upstream.Kind{
	Type: upstream.Builtin, About: "are the tools that toolscript itself has, for the files below root", Page: "builtin.md",
	Required: `"required": ["root"]`, Schema: keys, Keys: []string{"root", "tools", "exec", "web", "agents"},
	Paths: [][]string{{"root"}, {"exec", "writable", "*"}}, Functions: true, Flat: true, Review: upstream.ReviewDefinition,
	Missing: func(_ []string, cfg upstream.Config) (string, error) {
		_, err := os.ReadDir(cfg.Root)
		return `create the folder, or correct "root"`, err
	},
	Conversions: []upstream.ConvertKind{workspace.Applying, workspace.Reading, web.Page},
	Dial:        func(h upstream.Host) upstream.Dial { return upstream.DialWith(Dialer{Host: h}.Dial) },
}
