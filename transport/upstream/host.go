package upstream

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/proc"
)

// Host holds what a gateway offers to the connections of its servers. The zero value is ready to
// use; what needs a missing part fails.
type Host struct {
	// RoundTripper, if not nil, wraps the HTTP transport of each server with an address.
	// It may add credentials and handle responses with status 401 or 403. base
	// applies the proxies and certificates of the environment. Redirects are handled
	// above it: each request that it receives goes to the server's own origin.
	//
	// If RoundTrip returns an error that is or wraps a *toolscript.Error of kind
	// Unauthorized, the Dial or the connection ends with that error. A response with
	// status 401 has the same effect. Any other error fails one request.
	RoundTripper func(server string, cfg Config, base http.RoundTripper) http.RoundTripper

	Confiner Confiner       // starts processes with a Confine; nil: such servers are not started
	Reaper   *proc.Reaper   // ends the processes of servers when the gateway is killed
	Dir      string         // working directory of servers whose Config sets none; "": that of this process
	Answers  *budget.Budget // limits the memory for the answers of all servers; nil means unlimited

	// Shared connects to the servers that a hub runs for several gateways; nil: there is no hub.
	Shared Dial

	// Own connects to servers by their type, in place of the Dial of their Kind.
	Own map[string]Dial

	// StateDir is a folder for the files of built-in tools, such as the journal of patches and
	// locks. It is outside of every workspace, and only the user may write to it. If it is
	// empty, tools that need it fail.
	StateDir string

	// RunCommand runs a program and then ends all processes that it has started. The error
	// is a *toolscript.Error if the program cannot be started.
	RunCommand func(context.Context, Program) (ProgramResult, error)

	// Fetch lists or reads the resources of the other servers, limited to what the run
	// FetchRequest.Run may reach. FetchRequest.Allow has no effect.
	Fetch func(context.Context, toolscript.FetchRequest) (json.RawMessage, error)

	// Agents asks models and runs agents.
	Agents Agents

	// Convert processes untrusted bytes in a worker process; nil: in this process.
	Convert ConvertPort

	// Confinement lists the restrictions of the programs of RunCommand on this machine.
	Confinement []toolscript.Confinement
}

// Program is a program to run. It may write only below Root and Writable.
type Program struct {
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

// ProgramResult is the outcome of a program that was started.
type ProgramResult struct {
	ExitCode   int
	Stdout     string
	Stderr     string
	Aggregated string // both outputs, in the order of their arrival
	TimedOut   bool
	Duration   time.Duration

	Confinement []toolscript.Confinement // the restrictions of the program
}
