package tool

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Host holds the data and functions that the gateway gives to built-in tools. The zero value is ready to use; tools
// that need a missing part fail.
type Host struct {
	// StateDir is a folder for the tools' own files, such as the journal of patches and
	// locks. It is outside of every workspace, and only the user may write to it. If it is
	// empty, tools that need it fail.
	StateDir string

	// RunCommand runs a program and then ends all processes that it has started. The error
	// is a *toolscript.Error if the program cannot be started.
	RunCommand func(context.Context, Command) (CommandResult, error)

	// Fetch lists or reads the resources of the other servers, limited to what the run
	// FetchRequest.Run may reach. FetchRequest.Allow has no effect.
	Fetch func(context.Context, toolscript.FetchRequest) (json.RawMessage, error)

	// Agents asks models and runs agents.
	Agents Agents

	// Convert processes untrusted bytes in a worker process; nil: in this process.
	Convert upstream.ConvertPort

	// Confinement lists the restrictions of the programs of RunCommand on this machine.
	Confinement []toolscript.Confinement
}

// Command is a program to run. It may write only below Root and Writable.
type Command struct {
	Args     []string
	Root     string        // absolute path
	Dir      string        // working directory, absolute
	Writable []string      // absolute paths
	Project  files.Folder  // folder beneath which Root and Writable are resolved
	Env      []string      // the complete environment, as NAME=value
	Network  bool          // whether the program may use the network
	Stdin    string        // standard input
	Timeout  time.Duration // time after which the program is ended; 0: only the context limits it

	// MaxOutput limits each text of the result, in bytes; 0 means 1 MB. Of a longer text, the
	// beginning and the end are kept; with the line between them, the result is a little longer.
	MaxOutput int

	// Room reserves memory for the output before it is read; nil: none is reserved.
	Room func(bytes int) error

	// Confined says that Args confine the program themselves, so Root, Writable, Network and TMPDIR
	// have no effect. Files are the open files of the program, from descriptor 3.
	Confined bool
	Files    []*os.File
}

// CommandResult is the outcome of a program that was started.
type CommandResult struct {
	ExitCode   int
	Stdout     string
	Stderr     string
	Aggregated string // both outputs, in the order of their arrival
	TimedOut   bool
	Duration   time.Duration
}

type runKey struct{}

// WithRun returns the context of a call that a run makes. An empty id means a call outside
// of runs.
func WithRun(ctx context.Context, run string) context.Context {
	if run == "" {
		return ctx
	}
	return context.WithValue(ctx, runKey{}, run)
}

// RunOf returns the id of the run that makes a call, or "" outside of runs.
func RunOf(ctx context.Context) string {
	run, _ := ctx.Value(runKey{}).(string)
	return run
}
