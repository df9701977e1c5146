package mailbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/toolscript/toolscript"
)

// Go runs f in a goroutine. A panic in f does not end the process: failed is called
// with an error of kind internal that has the stack. Every goroutine of an actor
// starts here or in a Group.
func Go(f func(), failed func(error)) { go guarded(f, failed) }

func guarded(f func(), failed func(error)) {
	defer func() {
		if r := recover(); r != nil {
			defer func() { _ = recover() }() // a panic in failed cannot be reported anywhere
			failed(Panicked(r, debug.Stack()))
		}
	}()
	f()
}

// Group counts goroutines that may outlive the actor that started them, so that the
// program can wait for them at its end. The zero value is an empty group. Unlike a
// sync.WaitGroup it may grow while another goroutine waits.
type Group struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // created on first use; closed when running is 0 again
}

// Go is like the function Go, and counts the goroutine.
func (g *Group) Go(f func(), failed func(error)) {
	g.add(1)
	go func() {
		defer g.add(-1)
		guarded(f, failed)
	}()
}

// Begin counts work without its own goroutine, until End.
func (g *Group) Begin() { g.add(1) }

// End ends the work of one Begin.
func (g *Group) End() { g.add(-1) }

func (g *Group) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running += n
	if g.running == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// Idle returns a channel that is closed when no goroutine of the group runs.
func (g *Group) Idle() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.running == 0:
		none := make(chan struct{})
		close(none)
		return none
	case g.idle == nil:
		g.idle = make(chan struct{})
	}
	return g.idle
}

// PanicError is a recovered panic.
type PanicError struct {
	Reason any
	Stack  []byte
}

func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v", p.Reason) }

// StackTrace returns the stack of the panic, for a log.
func (p *PanicError) StackTrace() []byte { return p.Stack }

// Panicked returns an error of kind internal for a recovered panic.
func Panicked(reason any, stack []byte) error {
	return &toolscript.Error{Kind: toolscript.Internal, Err: &PanicError{reason, stack}}
}

// Recover converts a panic of the function that defers mailbox.Recover(&err) into
// its error.
func Recover(err *error) {
	if r := recover(); r != nil {
		*err = Panicked(r, debug.Stack())
	}
}

// LogFailure logs an error. A panic is logged at level error with its stack.
func LogFailure(logger *slog.Logger, level slog.Level, message string, err error, attrs ...slog.Attr) {
	attrs = append(attrs, slog.String("error", err.Error()))
	var p *PanicError
	if errors.As(err, &p) {
		level = slog.LevelError
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	logger.LogAttrs(context.Background(), level, message, attrs...)
}
