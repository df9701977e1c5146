// Package reaper ends the processes of a program that was killed before it could
// end them itself.
//
// A Reaper is a second process of the program. It holds the reading end of a
// pipe whose writing end only the program has, so that the end of the pipe is
// the end of the program, whatever ended it. Then it ends what the program told
// it of, process groups, and what carries the program's mark in its environment:
// a descendant inherits the mark also where it has left the group, and even if
// it was started in the moment of the kill.
//
// PR_SET_PDEATHSIG is no way to do this: it watches the thread that forked, and
// it does not reach the node behind an npx. Elsewhere than on Linux no
// environment of another process can be read, and only the groups are ended; on
// Windows there is no reaper.
package reaper

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Command is the hidden command under which the program runs Main.
const Command = "__reaper"

// markName is the variable that marks the processes of one Reaper. It does not
// begin as our own do: none of those reaches a server.
const markName = "MCP_REAPER"

// closeTime is how long Close waits for the process. It has nothing left to do
// after a program that has ended its servers.
const closeTime = 2 * time.Second

// Reaper is the program's side. Its methods may be called concurrently. A nil
// Reaper ends nothing.
type Reaper struct {
	log  *slog.Logger
	mark string

	mu     sync.Mutex
	groups map[int]bool // process groups to end, by their leaders
	child  *child       // nil before the first Begin, after Close, and where none can be started
	closed bool
}

// child is one process under Command.
type child struct {
	pipe   io.WriteCloser
	exited chan struct{}
}

// New returns a Reaper that has started nothing yet.
func New(log *slog.Logger) *Reaper {
	return &Reaper{log: log, mark: markName + "=" + rand.Text(), groups: map[int]bool{}}
}

// Begin makes sure that the second process is there, and returns what belongs
// into the environment of every process that it must end, as NAME=VALUE. That
// none can be started is logged and no reason to go without servers.
func (r *Reaper) Begin() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ensure()
	return []string{r.mark}
}

// Watch tells of the leader of a process group. Forget must follow when the
// group has ended, before its number can be given to another.
func (r *Reaper) Watch(leader int) { r.tell(leader, true) }

// Forget takes Watch back.
func (r *Reaper) Forget(leader int) { r.tell(leader, false) }

func (r *Reaper) tell(leader int, alive bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if alive {
		r.groups[leader] = true
	} else {
		delete(r.groups, leader)
	}
	if r.child == nil {
		return
	}
	if _, err := io.WriteString(r.child.pipe, line(leader, alive)); err != nil {
		r.child = nil // somebody ended it
		r.ensure()
	}
}

// line is how a group is told: "+123" or "-123".
func line(leader int, alive bool) string {
	if alive {
		return fmt.Sprintf("+%d\n", leader)
	}
	return fmt.Sprintf("-%d\n", leader)
}

// ensure starts the process, unless it is there.
func (r *Reaper) ensure() {
	if r.child != nil && r.child.running() || r.closed || !supported {
		return
	}
	c, err := r.start()
	if err != nil {
		r.log.Warn("servers may outlive this program if it is killed: their reaper does not start", slog.Any("error", err))
		return
	}
	r.child = c
}

// start starts this program under Command. Neither a Ctrl-C at our terminal nor
// a signal to our group reaches it, and it holds nothing of ours open.
func (r *Reaper) start() (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, Command) //nolint:gosec,noctx // this program; no context may end it before us
	cmd.Args[0] = ProcessName
	cmd.Env = []string{"GOMAXPROCS=1"} // not the mark: a program below another gateway is marked itself
	cmd.Dir = "/"
	leadSession(cmd)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{pipe: pipe, exited: make(chan struct{})}
	go func() {
		defer close(c.exited)
		_ = cmd.Wait() // who kills it is answered at the next Begin
	}()
	var known strings.Builder
	known.WriteString(r.mark + "\n")
	for leader := range r.groups {
		known.WriteString(line(leader, true))
	}
	_, err = io.WriteString(pipe, known.String())
	return c, err
}

func (c *child) running() bool {
	select {
	case <-c.exited:
		return false
	default:
		return true
	}
}

// Close ends what is left, as the end of the program would, and then the second
// process. It is called when all servers have been ended.
func (r *Reaper) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	c := r.child
	r.child, r.closed = nil, true
	r.mu.Unlock()
	if c == nil {
		return
	}
	_ = c.pipe.Close() // fails where the process has gone already
	select {
	case <-c.exited:
	case <-time.After(closeTime):
		r.log.Warn("the reaper still ends what servers have left running")
	}
}
