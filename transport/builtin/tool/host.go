package tool

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/sharedfile/beneath"
	"github.com/toolscript/toolscript/transport/convert"
)

// Host is what the gateway offers to built-in tools. The zero value is ready for use;
// tools that need a missing part fail.
type Host struct {
	// StateDir is a folder for the tools' own files, outside of every workspace: the
	// journal of patches and the locks. Only the user may write to it. Without it,
	// tools that need it fail.
	StateDir string

	// RunCommand runs a program and ends all that it has started. The error is a
	// *toolscript.Error if the program cannot be started.
	RunCommand func(context.Context, Command) (CommandResult, error)

	// Fetch lists or reads the resources of the other servers, as far as the run
	// FetchRequest.Run may reach them. Its Allow has no effect.
	Fetch func(context.Context, toolscript.FetchRequest) (json.RawMessage, error)

	// Agents asks models and runs agents.
	Agents Agents

	// Convert works on foreign bytes in a worker process; nil: in this process.
	Convert convert.Port

	// Confinement is what holds for the programs of RunCommand on this machine.
	Confinement []toolscript.Confinement
}

// Command is a program to run. It may write below Root and Writable only.
type Command struct {
	Args     []string
	Root     string         // absolute
	Dir      string         // working directory, absolute
	Writable []string       // absolute
	Project  beneath.Folder // that Root and Writable are resolved beneath
	Env      []string       // the complete environment, as NAME=value
	Network  bool           // it may use the network
	Stdin    string         // its standard input
	Timeout  time.Duration  // after it, the program is ended; 0 means no limit but that of the context

	// MaxOutput bounds each text of the result, in bytes; 0 means 1 MB. Of a longer text, the
	// beginning and the end are kept, so that it is longer than MaxOutput with the line between.
	MaxOutput int

	// Room takes memory for the output before it is read; nil: no memory is taken.
	Room func(bytes int) error

	// Confined says that Args confine the program themselves, so that Root, Writable, Network
	// and TMPDIR have no effect. Files are the descriptors of the program from 3 on.
	Confined bool
	Files    []*os.File
}

// CommandResult is the outcome of a program that was started.
type CommandResult struct {
	ExitCode   int
	Stdout     string
	Stderr     string
	Aggregated string // both outputs
	TimedOut   bool
	Duration   time.Duration
}

type runKey struct{}

// WithRun returns the context of a call that a run makes; an empty id is a call outside of
// runs.
func WithRun(ctx context.Context, run string) context.Context {
	if run == "" {
		return ctx
	}
	return context.WithValue(ctx, runKey{}, run)
}

// RunOf returns the id of the run that makes a call; "" outside of runs.
func RunOf(ctx context.Context) string {
	run, _ := ctx.Value(runKey{}).(string)
	return run
}
