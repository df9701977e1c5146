package harness

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"

	_ "github.com/toolscript/toolscript/gateway" // the kinds of servers

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Config configures Start. All fields are optional.
type Config struct {
	Registry *Registry                  // tools of this program; nil if it has none
	Name     string                     // name of the server of these tools; default "app"
	Servers  map[string]upstream.Config // MCP servers and servers of built-in tools, by name

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
type Local struct {
	*actors.System
	reaper *proc.Reaper
}

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
		return worker.Main(args[2:], conversions()...), true
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
	logger := c.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	l := &Local{reaper: proc.NewReaper(logger)}
	ready := make(chan struct{}) // closed when System is set
	host := upstream.Host{
		Reaper: l.reaper, Confiner: Confiner{}, RunCommand: RunCommand, Confinement: command.Confinement(), Convert: ConvertWhen(ready, func() upstream.ConvertPort { return l.Convert }),
		Own: map[string]upstream.Dial{upstream.InProcess: upstream.DialWith(c.Registry.dial)},
	}
	o := actors.Options{
		Servers: c.servers(), Logger: logger,
		Approvals: actors.Approvals{Policies: func() toolscript.Approvals { return c.Approvals }},
	}
	options := worker.Options{Log: logger}
	if c.Dir != "" {
		options.CacheDir, host.StateDir, o.Scripts.KeptDir = filepath.Join(c.Dir, "engine"), filepath.Join(c.Dir, "builtin"), filepath.Join(c.Dir, "outputs")
		for _, folder := range []string{options.CacheDir, host.StateDir, o.Scripts.KeptDir} {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return nil, err
			}
		}
	}
	o.Dial = host.Dial()
	o.Scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) { return worker.StartChecker(ctx, options) }
	o.Scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) { return worker.StartSandbox(ctx, options) }
	o.Scripts.StartConverter = func(ctx context.Context) (workers.Worker, error) { return worker.StartConverter(ctx, options) }
	var err error
	if l.System, err = actors.Start(o); err != nil {
		l.reaper.Close()
		return nil, err
	}
	close(ready)
	return l, nil
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

// Close ends all calls, scripts and servers, and waits for them at most until ctx ends.
func (l *Local) Close(ctx context.Context) error {
	defer l.reaper.Close()
	return l.System.Close(ctx)
}

// RunCommand runs a command for the built-in tool exec. It starts this program as the helper process.
func RunCommand(ctx context.Context, c upstream.Program) (upstream.ProgramResult, error) {
	r, err := command.Runner{}.Run(ctx, command.Spec{
		Args: c.Args, Project: c.Project, Root: c.Root, Dir: c.Dir, Writable: c.Writable, Env: c.Env, Network: c.Network, Timeout: c.Timeout, MaxOutput: c.MaxOutput,
		Stdin: c.Stdin, Room: c.Room, Confined: c.Confined, Files: c.Files,
	})
	if err != nil {
		return upstream.ProgramResult{}, err
	}
	return upstream.ProgramResult{
		ExitCode: r.ExitCode, Stdout: r.Stdout, Stderr: r.Stderr, Aggregated: r.Aggregated, TimedOut: r.TimedOut, Duration: r.Duration,
	}, nil
}
