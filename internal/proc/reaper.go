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

// closeTime is the maximum duration of Close. A program that has ended all its servers needs none of it.
const closeTime = 2 * time.Second

// unusedTime is how long the second process keeps running after the last process that it watches
// has ended. If a server is restarted within this time, no new second process is needed.
const unusedTime = 10 * time.Second

// Reaper ends the processes of a program that was killed before it could end them. This type is the
// part in the program. Its methods may be called concurrently. A nil Reaper does nothing.
//
// The other part is a second process. It reads from a pipe whose write end only the
// program has, so the pipe closes when the program ends, whatever the cause. Then the
// second process ends the process groups that the program registered, and every process
// with the program's mark in its environment. Descendants inherit the mark, even if they
// leave the group or were started at the moment of the kill.
//
// Until then the second process is a shell, which needs a tenth of the memory of this
// program. The shell executes this program when the pipe closes. On a system without a
// shell, the second process is this program from the start. The list of groups is in an
// unnamed file that both processes have open.
//
// When all processes that the second process watches have ended, it ends after a short
// time. The next Begin starts another one.
//
// PR_SET_PDEATHSIG is no alternative: it signals at the end of the thread that forked,
// and does not reach grandchildren, such as the node process that npx starts. Outside of
// Linux the environment of other processes cannot be read, so only the groups are ended.
// Windows needs no Reaper: a Job ends the processes of each server.
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

// NewReaper returns a Reaper that has not started the second process yet. The second process keeps
// the files in hold open until it has ended the remaining processes. So locks on these files show
// that processes remain.
func NewReaper(log *slog.Logger, hold ...*os.File) *Reaper {
	return &Reaper{log: log, mark: markName + "=" + rand.Text(), hold: hold, unused: unusedTime}
}

// Begin starts the second process if necessary. It returns the mark, as NAME=VALUE, for the
// environment of every process that the second process must end. If the second process
// cannot be started, Begin logs the error, and servers start without it.
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

// Watch registers the process group of leader, and the installation that a package manager may
// run there. Call Forget when the group has ended, before the system can reuse its number.
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

// postpone restarts the timer that ends an unused second process.
func (r *Reaper) postpone() {
	if r.rest == nil {
		r.rest = time.AfterFunc(r.unused, r.endUnused)
	} else if !r.closed {
		r.rest.Reset(r.unused)
	}
}

// endUnused ends the second process if no process is left for it to end. If a process with the
// mark is left, for example one that has left its group, endUnused tries again later.
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

// ensure starts the second process if it does not run.
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

// start starts the second process in a session of its own, so that Ctrl-C at the terminal and
// signals to the group of this program do not reach it. The second process inherits the file of
// groups, the executable file of this program, and the files in hold.
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
	cmd.Env = []string{"GOMAXPROCS=1"} // without the mark of another gateway that may have started this program
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

// Close ends the remaining processes, and then the second process. Call it when all servers
// have ended. If processes do not end in time, Close leaves them to the second process.
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
		_ = c.pipe.Close() // fails if the second process has ended already
		return
	}
	c.end()
	select {
	case <-c.exited:
	case <-time.After(closeTime):
	}
}
