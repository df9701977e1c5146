package confined

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/confine"
	"github.com/toolscript/toolscript/runner/internal/notify"
	"github.com/toolscript/toolscript/runner/observed"
)

// gateFD is the descriptor of the socket on which the helper sends its listener to a Gate.
const gateFD = 3

// A Gate makes system calls for a server that Landlock cannot restrict. It connects sockets
// only to the proxy of the server, because Landlock has no rules for addresses. It changes
// the modes and times of files below the folders that the server may write to, and adds
// watches below the folders that it may read.
//
// The kernel asks the Gate at each of these calls of the server and its children. The Gate connects
// a copy of the socket to an address that it chooses, and changes or watches the file that it has
// checked. So it does not matter if the server changes the arguments in its memory afterwards.
type Gate struct {
	proxy  netip.AddrPort
	write  []string // folders to write to, without links
	read   []string // folders to read, without links; includes write
	log    func(level slog.Level, format string, args ...any)
	refuse atomic.Int32                     // number of refused connections
	note   func(*notify.Call) notify.Answer // records a call of a watched server; nil if the server is not watched
	stop   context.CancelFunc
	done   chan struct{} // closed when serve has ended

	mu       sync.Mutex
	listener *notify.Listener
	closed   bool
}

// mostRefusals bounds the lines in the log about refused connections of one server.
const mostRefusals = 20

// GateMissing returns why a Gate does not work on this machine, or "" if it does.
func GateMissing() string { return gateMissing() }

var gateMissing = sync.OnceValue(func() string {
	if err := notify.Probe(); err != nil {
		return err.Error()
	}
	if scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil {
		if n, _ := strconv.Atoi(strings.TrimSpace(string(scope))); n > 2 || n == 2 && os.Geteuid() != 0 {
			return fmt.Sprintf("kernel.yama.ptrace_scope is %d", n)
		}
	}
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Sprintf("pidfd_open: %v; Linux 5.6 and newer have it", err)
	}
	defer unix.Close(self) //nolint:errcheck // nothing was written
	other, err := unix.PidfdGetfd(self, self, 0)
	if err != nil {
		return fmt.Sprintf("pidfd_getfd: %v", err)
	}
	_ = unix.Close(other)
	return ""
})

// NewGate returns the Gate of a server. The caller sets s.Gate, and passes file to the helper
// as descriptor 3. A process can have only one listener for its system calls, so the Gate of
// a watched server also fills record.
func NewGate(s Spec, record *observed.Record, log func(level slog.Level, format string, args ...any)) (g *Gate, file *os.File, err error) {
	own, file, err := notify.Pair()
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	g = &Gate{proxy: netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), s.Port), log: log, stop: stop, done: make(chan struct{})}
	if s.Watched {
		g.note = observed.Handler(record)
	}
	g.write = realPaths(s.Project, s.Write)
	g.read = append(realPaths(s.Project, s.Read), g.write...)
	go func() {
		defer close(g.done)
		g.serve(ctx, own)
	}()
	return g, file, nil
}

// realPaths returns paths without links, beneath the project. It omits paths that cannot be opened.
func realPaths(project files.Folder, paths []string) (real []string) {
	for _, path := range paths {
		if h, err := project.Hold(path); err == nil {
			real = append(real, h.Real())
			h.Close()
		}
	}
	return real
}

// closing bounds how long Close waits for a call that is being answered.
const closing = time.Second

// Close ends the Gate. Then processes that are still alive cannot connect.
func (g *Gate) Close() {
	g.stop()
	g.mu.Lock()
	g.closed = true
	if g.listener != nil {
		_ = g.listener.Close() // it is only read
	}
	g.mu.Unlock()
	select {
	case <-g.done:
	case <-time.After(closing):
	}
}

func (g *Gate) serve(ctx context.Context, socket *os.File) {
	listener, err := notify.Receive(ctx, socket)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, io.EOF) { // if the helper has ended, its own error is in the log
			g.log(slog.LevelError, "the server can neither connect to its proxy nor change modes and times: %v", err)
		}
		return
	}
	defer func() { _ = listener.Close() }()
	g.mu.Lock()
	g.listener = listener
	closed := g.closed
	g.mu.Unlock()
	if closed {
		return
	}
	if err := listener.Serve(g.answer); err != nil {
		g.log(slog.LevelError, "the server can neither connect to its proxy nor change modes and times any more: %v", err)
	}
}

// answer makes a call for the server, or refuses it. If the server is watched, the Gate also gets calls
// that it only records; answer lets them continue.
func (g *Gate) answer(c *notify.Call) notify.Answer {
	if g.note != nil {
		g.note(c)
	}
	switch {
	case c.Number == unix.SYS_CONNECT:
		return g.connect(c)
	case c.Number == unix.SYS_INOTIFY_ADD_WATCH:
		return g.watch(c)
	case changesOfModes[c.Number] != "":
		return g.changeMode(c)
	case changesOfTimes[c.Number] != "":
		return g.changeTimes(c)
	}
	return notify.Continue()
}

// connect makes a connection to the proxy, and refuses all others.
func (g *Gate) connect(c *notify.Call) notify.Answer {
	to, err := c.Address(c.Args[1], c.Int(2))
	switch {
	case errors.Is(err, notify.ErrGone):
		return notify.Fail(unix.EINTR)
	case errors.Is(err, unix.EPERM):
		return g.refused(c, "its memory cannot be read: %v", err)
	case err != nil:
		return notify.Fail(unix.EINVAL)
	case to.IP != g.proxy:
		if to.Family == unix.AF_INET || to.Family == unix.AF_INET6 {
			return g.refused(c, "%s is not the proxy", to.IP)
		}
		return notify.Fail(unix.EACCES)
	}
	socket, err := take(c, c.Int(0))
	if err != nil {
		return g.refused(c, "its socket cannot be copied: %v", err)
	}
	defer unix.Close(socket) //nolint:errcheck // the server has it, too
	var address unix.Sockaddr = &unix.SockaddrInet4{Addr: g.proxy.Addr().As4(), Port: int(g.proxy.Port())}
	if to.Family == unix.AF_INET6 {
		address = &unix.SockaddrInet6{Addr: g.proxy.Addr().As16(), Port: int(g.proxy.Port())}
	}
	return result(unix.Connect(socket, address))
}

// result returns the answer to a call that was made for the server, with error err.
func result(err error) notify.Answer {
	var errno syscall.Errno
	switch {
	case err == nil:
		return notify.Return(0)
	case errors.Is(err, notify.ErrGone):
		return notify.Fail(unix.EINTR)
	case errors.As(err, &errno):
		return notify.Fail(errno)
	}
	return notify.Fail(unix.EACCES)
}

// refused logs a connection that does not lead to the proxy and returns the answer to it.
func (g *Gate) refused(c *notify.Call, format string, args ...any) notify.Answer {
	switch n := g.refuse.Add(1); {
	case n < mostRefusals:
		g.log(slog.LevelWarn, "a connection of process %d past the proxy was refused: %s", c.PID, fmt.Sprintf(format, args...))
	case n == mostRefusals:
		g.log(slog.LevelWarn, "further connections past the proxy are refused without a line in the log")
	}
	return notify.Fail(unix.EACCES)
}

// take returns a copy of a descriptor of the caller. The server may have replaced the file behind
// the descriptor since the call, but the copy always comes from the caller's process.
func take(c *notify.Call, fd int) (int, error) {
	process, err := unix.PidfdOpen(c.PID, unix.PIDFD_THREAD)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.9, a thread has no descriptor
		var leader int
		if leader, err = leaderOf(c.PID); err == nil {
			process, err = unix.PidfdOpen(leader, 0)
		}
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(process) //nolint:errcheck // nothing was written
	if !c.Valid() {
		return -1, notify.ErrGone // the process ID may have been reused
	}
	return unix.PidfdGetfd(process, fd, 0)
}

// leaderOf returns the process that a thread belongs to.
func leaderOf(thread int) (int, error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(thread) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if id, ok := strings.CutPrefix(line, "Tgid:"); ok {
			return strconv.Atoi(strings.TrimSpace(id))
		}
	}
	return 0, unix.ESRCH
}

// changesOfModes and changesOfTimes are the system calls that change the modes and times of files, with their names.
var changesOfModes, changesOfTimes = confine.ChangesOfModes(), confine.ChangesOfTimes()

// guard makes the kernel ask a Gate about connections, watches, and changes of modes and times of
// this thread and of the server that the thread becomes. If guard fails, the server must not start,
// because GateMissing has reported that a Gate works on this machine.
func (s Spec) guard() error {
	rules := []notify.Rule{{Number: unix.SYS_CONNECT}, {Number: unix.SYS_INOTIFY_ADD_WATCH}}
	if s.Modes { // otherwise a filter refuses them
		for _, calls := range []map[uint32]string{changesOfModes, changesOfTimes} {
			for call := range calls {
				rules = append(rules, notify.Rule{Number: call})
			}
		}
	}
	listener, err := notify.Install(rules)
	if err != nil {
		return fmt.Errorf("have the gateway check connections: %w", err)
	}
	if err := notify.Send(gateFD, listener); err != nil {
		return fmt.Errorf("descriptor %d: %w", gateFD, err)
	}
	return nil
}
