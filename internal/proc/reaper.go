package proc

import (
	"crypto/rand"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

// Command is the hidden command under which the program runs Main.
const Command = "__reaper"

// markName is the variable that marks the processes of one Reaper. It lacks the prefix
// of our own variables, because servers inherit none of those.
const markName = "MCP_REAPER"

// closeTime bounds Close. After a program that ended its servers nothing is left.
const closeTime = 2 * time.Second

// unusedTime is how long the second process keeps running after the end of the last process
// that it may have to end. A server that is restarted within this time uses the same one.
const unusedTime = 10 * time.Second

// Reaper ends the processes of a program that was killed before it could end them. It is the
// program's side. Its methods may be called concurrently. A nil Reaper does nothing.
//
// The other side is a second process. It holds the read end of a pipe whose write end only
// the program has, so the pipe closes when the program ends, for whatever cause. Then
// the second process ends the process groups that the program registered, and every
// process with the program's mark in its environment. Descendants inherit the mark even
// if they leave the group, or were started at the moment of the kill.
//
// Until then the second process is a shell, which is a tenth of the size of this
// program and executes it when the pipe closes. Without a shell it is this program from
// the start. The groups are in a file without a name that both processes have open.
//
// When all processes that it may have to end have ended, the second process ends after a
// short time, and the next Begin starts another one.
//
// PR_SET_PDEATHSIG does not work: it watches the thread that forked, and does not
// reach the node behind an npx. Outside of Linux the environment of other processes
// cannot be read, and only the groups are ended. On Windows there is no reaper: the job of
// each server does its work.
type Reaper struct {
	log    *slog.Logger
	mark   string
	hold   []*os.File
	unused time.Duration

	mu     sync.Mutex
	rest   *time.Timer // fires unused after the last Begin and the last Forget
	groups *groups     // nil before the first Begin, and if they cannot be kept
	child  *child      // nil before the first Begin, while unused, after Close, and if it cannot be started
	closed bool
}

// child is the second process.
type child struct {
	pipe   io.WriteCloser
	exited chan struct{}
}

// NewReaper returns a Reaper that has started nothing yet. The second process keeps the files of
// hold open until it has ended the remaining processes, so that their locks show that time.
func NewReaper(log *slog.Logger, hold ...*os.File) *Reaper {
	return &Reaper{log: log, mark: markName + "=" + rand.Text(), hold: hold, unused: unusedTime}
}

// Begin starts the second process if necessary, and returns the mark for the
// environment of every process that it must end, as NAME=VALUE. If it cannot be
// started, that is logged, and servers start without it.
func (r *Reaper) Begin() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ensure()
	r.postpone()
	return []string{r.mark}
}

// Watch registers the leader of a process group, and what a package manager may install
// there. Forget must follow when the group has ended, before its number is used again.
func (r *Reaper) Watch(leader int, install Installation) {
	r.change(func(g *groups) error { return g.add(leader, install) })
}

// Forget undoes Watch.
func (r *Reaper) Forget(leader int) {
	r.change(func(g *groups) error { return g.remove(leader) })
}

func (r *Reaper) change(how func(*groups) error) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.groups == nil {
		return
	}
	if err := how(r.groups); err != nil {
		r.warn(err)
	}
	if len(r.groups.at) > len(r.groups.left) {
		r.ensure()
	}
	r.postpone()
}

// postpone restarts the time after which an unused second process ends.
func (r *Reaper) postpone() {
	if r.rest == nil {
		r.rest = time.AfterFunc(r.unused, r.endUnused)
	} else if !r.closed {
		r.rest.Reset(r.unused)
	}
}

// endUnused ends the second process if no process is left that it would end. Processes with
// the mark that have left their group are looked for again later.
func (r *Reaper) endUnused() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.child == nil || len(r.groups.at) > len(r.groups.left) {
		return
	}
	if left := r.groups.remains(r.mark); left.signal(0) {
		r.postpone()
		return
	}
	r.child.end()
	r.child = nil
}

// ensure starts the process if it does not run.
func (r *Reaper) ensure() {
	if r.child != nil && r.child.running() || r.closed || !supported {
		return
	}
	var err error
	if r.groups == nil {
		r.groups, err = newGroups(r.mark)
	}
	if err == nil {
		r.child, err = r.start()
	}
	if err != nil {
		r.warn(err)
	}
}

func (r *Reaper) warn(err error) {
	r.log.Warn("servers may outlive this program if it is killed: their reaper does not work", slog.Any("error", err))
}

// start starts the second process. A Ctrl-C at the terminal or a signal to our group
// does not reach it, and it inherits two descriptors: the groups and this program.
func (r *Reaper) start() (*child, error) {
	self, err := files.Own()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(self) //nolint:gosec // this program
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read, and by others
	cmd := command(self)
	cmd.Args[0] = ProcessName
	cmd.Env = []string{"GOMAXPROCS=1"} // not the mark: a program below another gateway is marked itself
	cmd.Dir = "/"
	cmd.ExtraFiles = append([]*os.File{r.groups.file, file}, r.hold...) // groupsFD, programFD
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
		_ = cmd.Wait() // the next Begin notices its end
	}()
	return c, nil
}

func (c *child) running() bool {
	select {
	case <-c.exited:
		return false
	default:
		return true
	}
}

// end makes the second process exit without ending other processes. It has no effect if the
// second process has already exited.
func (c *child) end() {
	_, _ = io.WriteString(c.pipe, done)
	_ = c.pipe.Close()
}

// Close ends the remaining processes, as the second process would, and then the second
// process. Call it when all servers have ended. Processes that do not end in time are
// left to the second process.
func (r *Reaper) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	c, groups := r.child, r.groups
	r.child, r.groups, r.closed = nil, nil, true
	if r.rest != nil {
		r.rest.Stop()
	}
	r.mu.Unlock()
	if groups != nil {
		defer groups.file.Close() //nolint:errcheck // in memory
	}
	if c == nil {
		return
	}
	left := groups.remains(r.mark)
	if !left.end(closeTime) {
		r.log.Warn("the reaper is still ending processes that servers have left")
		_ = c.pipe.Close() // fails if the process has ended already
		return
	}
	c.end()
	select {
	case <-c.exited:
	case <-time.After(closeTime):
	}
}
