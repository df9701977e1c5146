package proc

import (
	"os"
	"sync/atomic"
	"time"
)

// Activity is what the processes of a start have done so far.
type Activity struct {
	Installing bool          // a package manager has not started the program yet
	CPU        time.Duration // CPU time that the processes have used
	IO         uint64        // bytes that the processes have read and written, if known
	Output     uint64        // bytes on standard output and standard error
	Processes  int           // number of processes
	Seen       bool          // the system shows what processes do; otherwise only Installing and Output are known
}

// Start observes one start of a program: whether a package manager is still installing the program,
// and whether its processes do anything. Its methods may be called concurrently. A nil Start
// counts nothing.
//
// A package manager starts the program as a child that inherits its standard output, or replaces
// itself by the program. Helpers that install packages, such as git, package scripts and
// compilers, have another standard output. So a child with the same standard output is the program.
type Start struct {
	argv   []string
	leader int    // the process that was started
	output string // the pipe that is its standard output

	printed atomic.Uint64
	pulling atomic.Bool // a container runtime downloads the image
	begun   atomic.Bool // the program was seen
}

// NewStart returns a Start for a command line. Call Process before Look.
func NewStart(argv []string) *Start { return &Start{argv: argv} }

// Process sets the process that was started. stdout is either end of the pipe to which the
// process writes its standard output.
func (s *Start) Process(leader int, stdout *os.File) {
	if s != nil {
		s.leader, s.output = leader, pipeName(stdout)
	}
}

// Waiting returns the activity of a start that waits for another installation of the program.
func Waiting() Activity { return Activity{Installing: true} }

// Manages reports whether a package manager was started.
func (s *Start) Manages() bool { return s != nil && Manages(s.argv) }

// Answered counts bytes on standard output. A package manager writes nothing there, because the
// output belongs to the program.
func (s *Start) Answered(n int) {
	if s != nil && n > 0 {
		s.printed.Add(uint64(n))
		s.begun.Store(true)
	}
}

// Logged counts bytes on standard error.
func (s *Start) Logged(n int) {
	if s != nil {
		s.printed.Add(uint64(max(n, 0)))
	}
}

// Resume continues the observation of a start that another process has observed during the installation.
func (s *Start) Resume() { s.pulling.Store(!s.Manages()) }

// Line reads a line of standard error, where container runtimes report a download.
func (s *Start) Line(text string) {
	switch {
	case s == nil:
	case beginsPull(text):
		s.pulling.Store(true)
	case endsPull(text):
		s.pulling.Store(false)
	}
}

// Look returns the activity so far.
func (s *Start) Look() Activity {
	a := Activity{Output: s.printed.Load(), Installing: s.pulling.Load()}
	tree := processes(s.leader)
	a.Seen, a.Processes = tree != nil, len(tree)
	for _, p := range tree {
		a.CPU += p.cpu
		a.IO += p.io
	}
	if s.begun.Load() {
		a.Installing = false
		return a
	}
	if !a.Seen {
		a.Installing = a.Installing || s.Manages()
		return a
	}
	installs, over := s.judge(tree)
	if over {
		s.begun.Store(!a.Installing) // do not judge again: the program may change its output later
	}
	a.Installing = a.Installing || installs && !over
	return a
}

// judge reports whether there is a package manager among the processes, and whether it has
// started the program.
func (s *Start) judge(tree map[int]process) (installs, over bool) {
	name, _ := program(s.argv)
	stays := s.Manages() && !becomes[name]
	manages := func(p process) bool { return Manages(p.args()) || p.pid == s.leader && stays }
	for _, p := range tree {
		if !p.holds(s.output) {
			continue
		}
		if manages(p) {
			installs = true
		} else if parent, known := tree[p.parent]; known && manages(parent) {
			over = true
		}
	}
	return installs, over
}
