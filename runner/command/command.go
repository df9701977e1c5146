// Package command runs one program for a tool, with a time limit, a bound for its output,
// and as little access as the operating system allows to take from it: it writes only
// below its root and to a temporary folder of its own, and it has no network unless the
// Spec says so.
//
// Runner is the caller's side. Between it and the program is a helper: the same
// executable, started with a hidden command, which runs Main. The helper applies the
// restrictions to the thread that starts the program. When the program ends, or its time
// is over, or the caller is gone, the helper ends every descendant of the program; on
// Linux also those that have left its process group.
package command

import (
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/sharedfile/beneath"
)

// Command is the hidden command that makes a program the helper.
const Command = "__command"

// filesName is the name of the part of the confinement that protects files.
const filesName = "files"

// TimedOutCode is the exit code of a program whose time was over, as timeout(1) has it.
const TimedOutCode = 124

// DefaultMaxOutput bounds each text of a Result if the Spec sets no bound, in bytes.
const DefaultMaxOutput = 1 << 20

// Spec describes one run.
type Spec struct {
	Args     []string       // the program and its arguments; there is no shell
	Root     string         // absolute; the program may write below it
	Dir      string         // its working directory, absolute; empty means Root; a link in Root does not lead out of it
	Writable []string       // further files and folders to write to, absolute; missing ones are skipped
	Project  beneath.Folder // that Root and Writable are resolved beneath
	Env      []string       // its complete environment, as NAME=value; TMPDIR is replaced
	Network  bool           // it may use the network
	Stdin    string         // its standard input
	Timeout  time.Duration  // 0 means no limit but that of the context

	// MaxOutput bounds each of the three texts of the Result, in bytes. Of a longer text,
	// the beginning and the end are kept.
	MaxOutput int

	// Room takes memory for the output before it is read, if there is much of it; it may
	// wait, and the program waits too then. Its error ends the output. Nil: no memory is
	// taken.
	Room func(bytes int) error

	// Confined says that Args confine the program themselves: Root, Writable and Network have
	// no effect, and the TMPDIR of Env stays. Not on Windows.
	Confined bool
	Files    []*os.File // the descriptors of the program from 3 on; not on Windows
}

// Result is the outcome of a program that was started.
type Result struct {
	ExitCode    int // 128 + n after signal n, TimedOutCode after the time limit
	Stdout      string
	Stderr      string
	Aggregated  string // both, in the order in which they arrived
	TimedOut    bool
	Duration    time.Duration
	Confinement []toolscript.Confinement // what held, and what did not
}

// order is what the helper reads: a line of JSON on its standard input. The end of the
// input is the request to end the program.
type order struct {
	Args     []string       `json:"args"`
	Root     string         `json:"root"`
	Dir      string         `json:"dir"`
	Writable []string       `json:"writable"`
	Project  beneath.Folder `json:"project"`
	Env      []string       `json:"env"`
	Stdin    string         `json:"stdin"`
	Network  bool           `json:"network"`
	Confined bool           `json:"confined"`
	Files    int            `json:"files"` // how many descriptors after reportFD the program gets

	held []beneath.Held // the files of the paths
}

// report is what the helper writes when the program and its descendants have ended.
type report struct {
	ExitCode    int                      `json:"exitCode"`
	Confinement []toolscript.Confinement `json:"confinement"`
	Kind        toolscript.Kind          `json:"kind"`  // if the program was not started
	Error       string                   `json:"error"` // why it was not started
}
