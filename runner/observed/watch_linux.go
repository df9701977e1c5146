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

// Works returns an error if servers cannot be watched here.
func Works() error { return notify.Probe() }

// Hand has the calls of the calling thread, and of all processes that it starts, reported to
// the process at the other end of a socket. The caller has locked the goroutine to the thread
// and has set PR_SET_NO_NEW_PRIVS.
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

// A Watch fills a record with what one process and its children do.
type Watch struct {
	stop context.CancelFunc
	done chan struct{}
}

// Start returns the socket that the helper of the process inherits; see Hand. Close ends the
// watch, after the end of the processes: their calls would fail otherwise.
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
			return // the helper did not get so far, and says why
		}
		defer context.AfterFunc(ctx, func() { _ = l.Close() })()
		_ = l.Serve(Handler(r)) // it ends with the processes, or with Close
		_ = l.Close()
	}()
	return w, child, nil
}

// closeTime bounds Close. The watch may be looking at a file of a file system that does not
// answer, such as one that a process of the server provides.
const closeTime = 2 * time.Second

// Close ends the watch. If it hangs at a file, it goes on when the file system answers.
func (w *Watch) Close() {
	w.stop()
	select {
	case <-w.done:
	case <-time.After(closeTime):
	}
}
