package mailbox

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/toolscript/toolscript/internal/rescue"
)

// Go runs f in a goroutine. A panic in f does not end the process: failed is called
// with an error of kind internal that has the stack. Every goroutine of an actor
// starts here or in a Group.
func Go(f func(), failed func(error)) { rescue.Go(f, failed) }

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
		rescue.Run(f, failed)
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

// LogFailure logs an error. A panic is logged at level error with its stack.
func LogFailure(logger *slog.Logger, level slog.Level, message string, err error, attrs ...slog.Attr) {
	attrs = append(attrs, slog.String("error", err.Error()))
	var p *rescue.Error
	if errors.As(err, &p) {
		level = slog.LevelError
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	logger.LogAttrs(context.Background(), level, message, attrs...)
}
