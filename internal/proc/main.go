package proc

import (
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

const (
	termTime  = 400 * time.Millisecond // between SIGTERM and SIGKILL: the servers have noticed the end of their pipes already
	killTime  = 5 * time.Second        // how long to try; processes that cannot be killed stay
	lookAgain = 10 * time.Millisecond
)

// Descriptors of the second process, after standard error.
const (
	groupsFD  = 3
	programFD = 4
)

// Main is the main function of the second process. It waits for the end of the program,
// ends the processes that the program left, and returns the exit code.
func Main() int {
	// Signals have no effect: this process ends after the program.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	renameProcess()
	if len(os.Args) > 2 && os.Args[2] == leaveWord {
		return finish(os.Args[3:])
	}
	// Without a shell, this process waits for the end of the program.
	if text, err := io.ReadAll(os.Stdin); err == nil && string(text) != done {
		left := readRemains(io.NewSectionReader(os.NewFile(groupsFD, "groups"), 0, math.MaxInt64))
		left.leaveInstallations()
		left.end(killTime)
	}
	return 0
}

// done is the message of a program that has left no processes.
const done = "done\n"

// remains are the processes that a program left running.
type remains struct {
	mark   string
	groups []int // leaders of the groups to end
	spared []int // leaders of groups whose processes stay

	installs map[int]Installation // installations that may run in the groups, by leader
}

// leaveInstallations spares the groups in which a package manager is still installing.
func (r *remains) leaveInstallations() {
	for leader, install := range r.installs {
		if takeOver(leader, install) {
			r.groups = slices.DeleteFunc(r.groups, func(g int) bool { return g == leader })
			r.spared = append(r.spared, leader)
		}
	}
}

// end sends SIGTERM to the processes, and later SIGKILL to the processes that are left. It returns
// true when no process is left, and false after the limit.
func (r *remains) end(limit time.Duration) bool {
	began := time.Now()
	for sent := syscall.Signal(0); ; {
		alive := r.signal(0)
		spent := time.Since(began)
		switch {
		case !alive || spent > limit:
			return !alive
		case sent == 0:
			sent = syscall.SIGTERM
			r.signal(sent)
		case spent > termTime:
			r.signal(syscall.SIGKILL) // repeated, because processes may have forked
		}
		time.Sleep(lookAgain)
	}
}
