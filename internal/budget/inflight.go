package budget

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
)

const (
	// Default is the size in bytes of a Budget without a configured size.
	Default = 384 << 20
	// Free is the size in bytes up to which an answer is not counted. The number of
	// small answers is limited by the number of calls in flight.
	Free = 256 << 10

	mostSpare = 128 << 20 // maximum size of the spare part of a Budget, which only the lease Budget.over may take
	beside    = 64 << 20  // memory that the process may use besides answers before the garbage collector runs more often
)

// ErrFull is the error of Lease.Take if the deadline passes before the bytes are free.
var ErrFull = &toolscript.Error{
	Kind: toolscript.Busy, RetryAfter: time.Second,
	Err: errors.New(`the answers in progress use all the memory that limits.answersMb allows; make fewer calls at once, or raise limits.answersMb`),
}

var errReleased = errors.New("the caller no longer waits for the answer")

// Budget is a number of bytes that leases share. A nil Budget is unlimited. It is safe for
// concurrent use.
//
// A part of a Budget is spare: only one lease at a time may take bytes of it. That lease may
// also exceed the Budget. Otherwise several incomplete answers could wait for each other
// forever. The spare part has room for an answer and its encoded copy, so the Budget is rarely
// exceeded, and never by more than the size of both.
type Budget struct {
	most func() int64

	mu      sync.Mutex
	used    int64
	over    *Lease // the lease that may take the spare part and exceed the Budget
	waiting []*wait
	limit   int64 // last memory limit set for the runtime

	returner Returner
}

type wait struct {
	lease *Lease
	n     int64
	ready chan struct{}
}

// New returns a Budget. most returns its size in bytes; 0 means Default. The Budget calls
// most whenever bytes are taken.
func New(most func() int64) *Budget { return &Budget{most: most} }

// Lease counts the bytes of the answers of one call. A nil Lease counts nothing.
type Lease struct {
	budget *Budget
	bytes  int64
	over   bool // the lease has been released
}

// Held holds the bytes of the answer of one call until Release. The zero value holds
// nothing. It is safe for concurrent use and must not be copied.
type Held struct {
	mu       sync.Mutex
	lease    Lease
	taken    bool // lease belongs to a Budget
	released bool
}

type holdKey struct{}

// Hold returns a context for one call. Bytes that are taken with this context count until the
// caller calls release. It must do so when the answer is no longer needed.
func Hold(ctx context.Context) (held context.Context, release func()) {
	h := &Held{}
	return h.In(ctx), h.Release
}

// In returns a context for the call of h.
func (h *Held) In(ctx context.Context) context.Context { return context.WithValue(ctx, holdKey{}, h) }

// Ensure is like Hold, unless ctx already belongs to a call. Then it returns ctx itself, and a
// release function without effect.
func Ensure(ctx context.Context) (held context.Context, release func()) {
	if ctx.Value(holdKey{}) != nil {
		return ctx, func() {}
	}
	return Hold(ctx)
}

// HeldOf returns the Held of the call to which ctx belongs; nil if there is no such call.
func HeldOf(ctx context.Context) *Held {
	h, _ := ctx.Value(holdKey{}).(*Held)
	return h
}

// Release returns the bytes to their Budget. Bytes that are taken later do not count.
func (h *Held) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = true
	if h.taken {
		h.lease.Release()
	}
}

// Give transfers the bytes to the call to which ctx belongs.
func (h *Held) Give(ctx context.Context) {
	to := HeldOf(ctx)
	h.mu.Lock()
	taken := h.taken
	h.mu.Unlock()
	if to != nil && taken {
		h.lease.Move(h.lease.budget.LeaseOf(to))
	}
}

// ToRelease returns h.Release. If h holds no bytes, ToRelease releases h and returns nil.
func (h *Held) ToRelease() func() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.taken || h.lease.none() {
		h.released = true
		return nil
	}
	return h.Release
}

// Take takes n more bytes for the call to which ctx belongs. It does nothing if ctx belongs to no
// call, or if the call has no lease yet. For errors see Lease.Take.
func Take(ctx context.Context, n int) error {
	if h, held := ctx.Value(holdKey{}).(*Held); held {
		return h.Take(ctx, n)
	}
	return nil
}

// Take takes n more bytes from the Budget of the call. It does nothing if LeaseOf was not called for h
// before. For errors see Lease.Take.
func (h *Held) Take(ctx context.Context, n int) error {
	h.mu.Lock()
	taken := h.taken
	h.mu.Unlock()
	if !taken {
		return nil
	}
	return h.lease.Take(ctx, n)
}

// LeaseOf returns the lease of b that belongs to the call of h.
func (b *Budget) LeaseOf(h *Held) *Lease {
	if b == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.taken {
		h.lease.budget, h.lease.over, h.taken = b, h.released, true
	}
	return &h.lease
}

// Lease returns the lease of the call to which ctx belongs. If there is no such call,
// it returns a new lease, which the caller must release.
func (b *Budget) Lease(ctx context.Context) *Lease {
	if b == nil {
		return nil
	}
	if h, held := ctx.Value(holdKey{}).(*Held); held {
		return b.LeaseOf(h)
	}
	return &Lease{budget: b}
}

func (b *Budget) size() int64 {
	if most := b.most(); most > 0 {
		return most
	}
	return Default
}

// Take takes n more bytes, and waits until they are free or ctx ends. The error is ErrFull if
// the deadline of ctx has passed, and the error of ctx if it was cancelled.
func (l *Lease) Take(ctx context.Context, n int) error {
	if l == nil || n <= 0 {
		return nil
	}
	b := l.budget
	b.mu.Lock()
	if l.over {
		b.mu.Unlock()
		return errReleased
	}
	if (len(b.waiting) == 0 || b.over == l) && b.grant(l, int64(n)) {
		b.mu.Unlock()
		return nil
	}
	w := &wait{l, int64(n), make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		return b.giveUp(ctx, w)
	}
}

// giveUp ends a wait and returns the error of Take. After a deadline the error is ErrFull, because
// the lack of memory has caused the delay and not the server.
func (b *Budget) giveUp(ctx context.Context, w *wait) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = slices.DeleteFunc(b.waiting, func(other *wait) bool { return other == w })
	b.advance()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrFull
	}
	return ctx.Err()
}

// grant takes n bytes if there is room and reports whether it did. It is called with
// mu held.
func (b *Budget) grant(l *Lease, n int64) bool {
	if size := b.size(); b.used+n > size-min(size/4, mostSpare) {
		if b.over != nil && b.over != l {
			return false
		}
		b.over = l
	}
	b.used += n
	l.bytes += n
	b.limitMemory()
	return true
}

// advance grants waiting requests in order until one does not fit. It is called with
// mu held.
func (b *Budget) advance() {
	for len(b.waiting) > 0 {
		w := b.waiting[0]
		if !w.lease.over && !b.grant(w.lease, w.n) {
			return
		}
		b.waiting = b.waiting[1:]
		close(w.ready)
	}
}

// Bytes returns the number of bytes that l has.
func (l *Lease) Bytes() int {
	if l == nil {
		return 0
	}
	l.budget.mu.Lock()
	defer l.budget.mu.Unlock()
	return int(l.bytes)
}

// Move transfers the bytes of l to another lease.
func (l *Lease) Move(to *Lease) {
	if l == nil || to == nil || l == to {
		return
	}
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if to.over {
		return // the caller releases l
	}
	to.bytes, l.bytes = to.bytes+l.bytes, 0
	if b.over == l {
		b.over = to
	}
}

// Drop returns n bytes to the budget.
func (l *Lease) Drop(n int) {
	if l == nil {
		return
	}
	l.budget.mu.Lock()
	defer l.budget.mu.Unlock()
	l.drop(min(int64(n), l.bytes))
}

// none reports whether a lease holds no bytes. If so, it ends the lease.
func (l *Lease) none() bool {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.bytes > 0 || b.over == l {
		return false
	}
	l.over = true
	return true
}

// Release returns all bytes to the budget. Later calls of Take fail.
func (l *Lease) Release() {
	if l == nil {
		return
	}
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	l.over = true
	if b.over == l {
		b.over = nil
	}
	l.drop(l.bytes)
}

func (l *Lease) drop(n int64) {
	b := l.budget
	l.bytes -= n
	b.used -= n
	b.returner.Released(n)
	b.advance()
}

// limitMemory sets the memory limit of the runtime to the Budget plus beside. Without a
// limit, released answers would stay in memory until the heap has doubled. If the user has
// set GOMEMLIMIT, limitMemory does nothing.
func (b *Budget) limitMemory() {
	if limit := b.size() + beside; limit != b.limit && os.Getenv("GOMEMLIMIT") == "" {
		b.limit = limit
		debug.SetMemoryLimit(limit)
	}
}
