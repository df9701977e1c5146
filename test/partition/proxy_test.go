//go:build linux

package partition

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// The directions of a link.
const (
	forth = iota // from the side that connects
	back
)

// fault says what a link does with the bytes of each direction. Held bytes arrive after the fault, as
// TCP would then repeat them.
type fault struct {
	hold  [2]bool
	delay [2]time.Duration // delay of each piece
}

// link is a proxy to an address that can add faults.
type link struct {
	name   string // names of both ends
	port   int    // port of the proxy
	target string

	mu      sync.Mutex
	fault   fault
	changed chan struct{} // closed at the next change of fault
	conns   map[net.Conn]struct{}
}

// newLink starts a link to target, which ends with the test.
func newLink(t *testing.T, name, target string) *link {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{
		name: name, port: listener.Addr().(*net.TCPAddr).Port, target: target,
		changed: make(chan struct{}), conns: map[net.Conn]struct{}{},
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			work.Go(func() { l.pass(ctx, conn) })
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		l.reset()
		work.Wait()
	})
	return l
}

// set changes the fault of the link.
func (l *link) set(f fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = f
	close(l.changed)
	l.changed = make(chan struct{})
}

// reset closes all connections, so that bytes in transit are lost.
func (l *link) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Close()
	}
}

func (l *link) state() (fault, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fault, l.changed
}

// pass connects to the target and copies both directions until one of them ends.
func (l *link) pass(ctx context.Context, from net.Conn) {
	defer func() { _ = from.Close() }()
	if !l.wait(ctx, forth) {
		return
	}
	to, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.target)
	if err != nil {
		return // the target does not listen; the client sees that its connection ends
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	end := sync.OnceFunc(func() {
		cancel()
		_ = from.Close()
		_ = to.Close()
	})
	l.mu.Lock()
	l.conns[from], l.conns[to] = struct{}{}, struct{}{}
	l.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { l.copy(ctx, forth, from, to); end() })
	both.Go(func() { l.copy(ctx, back, to, from); end() })
	both.Wait()
	l.mu.Lock()
	delete(l.conns, from)
	delete(l.conns, to)
	l.mu.Unlock()
}

func (l *link) copy(ctx context.Context, direction int, from io.Reader, to io.Writer) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			if !l.wait(ctx, direction) {
				return
			}
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait waits until a piece may pass. It returns false if the connection has ended.
func (l *link) wait(ctx context.Context, direction int) bool {
	f, _ := l.state()
	if d := f.delay[direction]; d > 0 {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return false
		}
	}
	for {
		f, changed := l.state()
		if !f.hold[direction] {
			return ctx.Err() == nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
