// Package command runs one program for a tool, with a time limit, a bound for its output, and
// restricted access, as far as the operating system supports it: the program writes only
// below its root and to its own temporary folder, and has no network unless the Spec allows
// it.
//
// Runner is the caller's side. It starts a helper: the same executable with a hidden command. The
// helper runs Main and starts the program. On Linux, a second helper restricts itself and becomes
// the program. When the program ends, its time is over, or the caller has ended, the first helper
// kills all descendants of the program. On Linux, it also finds those that have left the process
// group. See docs/design/confinement.md.
package command

import (
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// Command is the hidden command that starts the helper.
const Command = "__command"

// filesName is the name of the Confinement that protects files.
const filesName = "files"

// TimedOutCode is the exit code of a program that exceeded its time limit, as with timeout(1).
const TimedOutCode = 124

// DefaultMaxOutput is the default of Spec.MaxOutput, in bytes.
const DefaultMaxOutput = 1 << 20

// Spec describes one run.
type Spec struct {
	Args     []string      // the program and its arguments; there is no shell
	Root     string        // absolute; the program may write below it
	Dir      string        // working directory, absolute; empty: Root; links below Root cannot leave it
	Writable []string      // further files and folders to write to, absolute; missing ones are skipped
	Project  files.Folder  // folder beneath which Root, Dir and Writable are resolved
	Env      []string      // complete environment, as NAME=value; TMPDIR is replaced
	Network  bool          // the program may use the network
	Stdin    string        // standard input
	Timeout  time.Duration // time limit; 0 means none except the context

	// MaxOutput bounds each of the three texts of the Result, in bytes; 0 means
	// DefaultMaxOutput. Longer texts keep their beginning and their end.
	MaxOutput int

	// Room, if not nil, reserves memory for a large output before the output is read. While
	// it waits, the program waits too. An error of Room ends the output.
	Room func(bytes int) error

	// Confined says that Args start a program that confines itself: Root, Writable and
	// Network do not restrict it, and TMPDIR in Env is kept. It has no effect on Windows.
	Confined bool
	Files    []*os.File // descriptors of the program, from 3 on; ignored on Windows
}

// Result is the outcome of a program that was started.
type Result struct {
	ExitCode    int // 128 + n after signal n, TimedOutCode after the time limit
	Stdout      string
	Stderr      string
	Aggregated  string // both outputs, in the order in which they arrived
	TimedOut    bool
	Duration    time.Duration
	Confinement []toolscript.Confinement // which restrictions were active, and which not
}

// order is the request that the helper reads, a line of JSON on its standard input. The end
// of the input asks it to end the program.
type order struct {
	Args     []string     `json:"args"`
	Root     string       `json:"root"`
	Dir      string       `json:"dir"`
	Writable []string     `json:"writable"`
	Project  files.Folder `json:"project"`
	Env      []string     `json:"env"`
	Stdin    string       `json:"stdin"`
	Network  bool         `json:"network"`
	Confined bool         `json:"confined"`
	Files    int          `json:"files"` // number of descriptors after reportFD that the program gets

	held []files.Held // open files of Root, Dir and Writable
}

// report is the report that the helper writes when the program and its descendants have ended.
type report struct {
	ExitCode    int                      `json:"exitCode"`
	Confinement []toolscript.Confinement `json:"confinement"`
	Kind        toolscript.Kind          `json:"kind"`  // kind of Error
	Error       string                   `json:"error"` // why the program was not started
}
