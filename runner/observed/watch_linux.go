package observed

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/internal/notify"
)

// Works returns an error if servers cannot be watched on this machine.
func Works() error { return notify.Probe() }

// Hand makes the kernel report the watched calls of the calling thread, and of all processes
// that it starts, to the process at the other end of socket. The caller must have locked the
// goroutine to the thread and set PR_SET_NO_NEW_PRIVS.
func Hand(socket int) error {
	var rules []notify.Rule
	for _, number := range slices.Sorted(maps.Keys(calls())) {
		rules = append(rules, notify.Rule{Number: number})
	}
	listener, err := notify.Install(rules)
	if err != nil {
		_ = unix.Close(socket)
		return err
	}
	return notify.Send(socket, listener)
}

// A Watch records what one process and its children do.
type Watch struct {
	stop context.CancelFunc
	done chan struct{}
}

// Start starts a watch. It returns the socket that the helper of the process must inherit; see
// Hand. The caller must not call Close before the processes have ended: their calls would fail.
func Start(r *Record) (*Watch, *os.File, error) {
	parent, child, err := notify.Pair()
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	w := &Watch{stop, make(chan struct{})}
	go func() {
		defer close(w.done)
		l, err := notify.Receive(ctx, parent)
		if err != nil {
			return // the helper failed before Hand, and reports why
		}
		defer context.AfterFunc(ctx, func() { _ = l.Close() })()
		_ = l.Serve(Handler(r)) // ends with the processes or after Close
		_ = l.Close()
	}()
	return w, child, nil
}

// closeTime bounds the wait of Close. The watch may be blocked by a file system that does not
// answer, such as one that a process of the server provides.
const closeTime = 2 * time.Second

// Close ends the watch. If a file system blocks the watch, it ends after the file system has answered.
func (w *Watch) Close() {
	w.stop()
	select {
	case <-w.done:
	case <-time.After(closeTime):
	}
}
