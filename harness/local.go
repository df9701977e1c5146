package harness

import (
	"cmp"
	"log/slog"
	"maps"
	"os"
	"path/filepath"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Config configures Start. All fields are optional.
type Config struct {
	Registry *Registry                  // tools of this program; nil if it has none
	Name     string                     // name of the server of these tools; default "app"
	Servers  map[string]upstream.Config // servers of the types that a configuration has, by name

	// Approvals say which calls need an approval. If it is nil, only calls of tools with
	// RequiresApproval do. Options.Approve decides about these calls.
	Approvals toolscript.Approvals

	// Dir is a folder for the compiled engine, outputs above their limits, and the state of
	// built-in tools. Only the user may have access to it. If it is "", the gateway keeps
	// none of these, and built-in tools that need a folder fail.
	Dir string

	Logger *slog.Logger // nil means no logging
}

// Local is a gateway in this process. It implements Gateway.
type Local struct{ *gateway.Gateway }

// Helper runs the work of a helper process. A gateway runs scripts in helper processes: it starts
// the same program again, with hidden arguments. If args are such arguments, Helper does the work
// and returns its exit code and true. Otherwise it returns false at once. A program that calls
// Start must call Helper first in its main:
//
//	if code, is := harness.Helper(os.Args); is {
//		os.Exit(code)
//	}
func Helper(args []string) (code int, is bool) {
	if len(args) < 2 {
		return 0, false
	}
	switch args[1] {
	case worker.Command:
		var all []worker.Conversion
		for _, k := range upstream.Conversions() {
			all = append(all, worker.Conversion{Name: k.Name, Do: k.Do})
		}
		return worker.Main(args[2:], all...), true
	case proc.Command:
		return proc.Main(), true
	case command.Command:
		return command.Main(), true
	}
	return 0, false
}

// Start starts a gateway in this process. It does not wait until the servers are connected. The caller must
// call Close. The error says why the gateway could not be started, for example that a folder in Config.Dir
// could not be created.
func Start(c Config) (*Local, error) {
	o := gateway.Options{
		Options: actors.Options{
			Servers: c.servers(), Logger: c.Logger,
			Approvals: actors.Approvals{Policies: func() toolscript.Approvals { return c.Approvals }},
		},
		Host: upstream.Host{Own: map[string]upstream.Dial{upstream.InProcess: upstream.DialWith(c.Registry.dial)}},
	}
	if c.Dir != "" {
		engine := filepath.Join(c.Dir, "engine")
		o.Host.StateDir, o.Scripts.KeptDir = filepath.Join(c.Dir, "builtin"), filepath.Join(c.Dir, "outputs")
		for _, folder := range []string{engine, o.Host.StateDir, o.Scripts.KeptDir} {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return nil, err
			}
		}
		o.Cache = func(name string) string { return map[string]string{"quickjs": engine}[name] }
	}
	g, err := gateway.Start(o)
	if err != nil {
		return nil, err
	}
	return &Local{g}, nil
}

// servers returns the configured servers and the server of the Registry.
func (c Config) servers() map[string]upstream.Config {
	all := maps.Clone(c.Servers)
	if c.Registry != nil {
		if all == nil {
			all = map[string]upstream.Config{}
		}
		all[cmp.Or(c.Name, "app")] = upstream.Config{Type: upstream.InProcess}
	}
	return all
}
