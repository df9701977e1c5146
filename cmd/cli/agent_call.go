package cli

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/source"
)

// agentCall decides about one call of toolscript in a shell command of an agent.
type agentCall struct {
	project  string // files inside of it may be used
	dir      string // the working folder of the shell
	planning bool   // the client's plan mode, in which nothing may be changed
}

// allowedFlags has the commands that an agent may run without a confirmation, and the
// flags of each. A flag that names a file or a folder has a check in flagAllowed.
// Excluded are flags that load code or trust a configuration (--search-model,
// --search-library, --trust, --config, --data-dir): an agent that may write a file in the
// project could run any program with them.
var allowedFlags = map[string][]string{
	"search":              {"limit", "threshold", "server", "read-only"},
	"get-types":           {"filter", "full", "out"},
	"list-servers":        {"verbose"},
	"list-tools":          {"verbose"},
	"exec":                append([]string{"eval", "file", "check", "engine", "allow", "cwd", "out", "max-tokens"}, limitNames...),
	"check":               {"eval", "file", "strict"},
	"output":              {"value", "range", "out"},
	"resources":           {"cursor"},
	"resources read":      {},
	"resources templates": {"cursor"},
	"prompts":             {"cursor"},
	"prompts get":         {"arg"},
	"logs":                {},
	"status":              {},
	"":                    {}, // toolscript FILE.ts
}

var limitNames = []string{
	"timeout", "cpu", "memory", "stack", "tool-calls", "concurrency", "questions",
	"max-source", "max-value", "max-output", "log-lines",
}

// always are flags of every allowed command.
var always = []string{"help", "json", "output", "gateway-url", "log-level", "log-format"}

// allowed reports whether the arguments are those of a call that needs no confirmation.
// They are parsed by the commands themselves, so that a call cannot mean something else
// when it runs.
func (c *agentCall) allowed(args []string) bool {
	root := newRoot(&app{State: State{Dir: c.dir}})
	command, rest, err := root.Find(args)
	if err != nil || command.Hidden {
		return false
	}
	command.InitDefaultHelpFlag()
	if command.ParseFlags(rest) != nil {
		return false
	}
	name := strings.TrimPrefix(strings.TrimPrefix(command.CommandPath(), root.Name()), " ")
	flags, ok := allowedFlags[name]
	if !ok {
		return false
	}
	ok = true
	command.Flags().Visit(func(f *pflag.Flag) {
		known := slices.Contains(always, f.Name) || slices.Contains(flags, f.Name)
		ok = ok && known && c.flagAllowed(name, f)
	})
	return ok && c.argumentsAllowed(name, command)
}

// argumentsAllowed checks the scripts that a call names, and that it runs none in plan
// mode.
func (c *agentCall) argumentsAllowed(name string, command *cobra.Command) bool {
	args := command.Flags().Args()
	switch name {
	case "":
		return !c.planning && len(args) > 0 && c.script(args[0])
	case "exec", "check":
		if name == "exec" && c.planning {
			return false
		}
		inline := command.Flags().Changed("eval") || command.Flags().Changed("file")
		return inline || len(args) == 0 || !source.IsScript(c.dir, args[0]) || c.script(args[0])
	}
	return true
}

// flagAllowed checks the value of a flag that names a file, a folder or a host.
func (c *agentCall) flagAllowed(command string, f *pflag.Flag) bool {
	value := f.Value.String()
	switch f.Name {
	case "gateway-url":
		u, err := url.Parse(value)
		return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && isLoopback(u.Hostname())
	case "file":
		return value == "-" || c.script(value)
	case "cwd":
		_, ok := c.inside(value)
		return ok
	case "out":
		return !c.planning && c.writable(value, command == "get-types")
	}
	return true
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// script reports whether a path is that of a script inside the project. Diagnostics show
// lines of the file, so another kind of file is not one.
func (c *agentCall) script(path string) bool {
	real, ok := c.inside(path)
	if !ok || !slices.Contains(source.Extensions, filepath.Ext(real)) {
		return false
	}
	info, err := os.Stat(real)
	return err == nil && info.Mode().IsRegular()
}

// writable reports whether a call may write to a path: inside the project, nothing with
// a name that begins with a dot, because programs read their configuration there, and no
// file that exists. get-types writes to a folder, and replaces only its own files.
func (c *agentCall) writable(path string, folder bool) bool {
	real, ok := c.inside(path)
	if !ok {
		return false
	}
	relative, err := filepath.Rel(c.root(), real)
	if err != nil {
		return false
	}
	for part := range strings.SplitSeq(filepath.ToSlash(relative), "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return false
		}
	}
	_, err = os.Lstat(real)
	return folder || os.IsNotExist(err)
}

// inside resolves the links of a path and reports whether it is in the project. The path
// itself may not exist; its folder must.
func (c *agentCall) inside(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	path = filepath.Clean(path)
	real, err := filepath.EvalSymlinks(path)
	if os.IsNotExist(err) {
		if _, linked := os.Lstat(path); linked == nil { // a link that leads to nothing
			return "", false
		}
		if real, err = filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			real = filepath.Join(real, filepath.Base(path))
		}
	}
	root := c.root()
	if err != nil || root == "" {
		return "", false
	}
	relative, err := filepath.Rel(root, real)
	return real, err == nil && filepath.IsLocal(relative)
}

// root is the project with its links resolved, "" if it does not exist.
func (c *agentCall) root() string {
	real, err := filepath.EvalSymlinks(c.project)
	if err != nil {
		return ""
	}
	return real
}
