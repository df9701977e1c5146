// Package embedder is the actor that keeps the model outside of this program, a
// process or an endpoint: it opens it, tells the search when it is there and when
// it is gone, and opens it anew.
package embedder

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/internal/retry"
	"github.com/toolscript/toolscript/actors/search/index"
)

const (
	// openLimit bounds a try: a model of some gigabytes is read from a disk.
	openLimit = 2 * time.Minute
	// quickTries is how many tries in a row may fail before the next is made every
	// restTime only: a model that kills its process does so each time.
	quickTries = 8
	restTime   = 5 * time.Minute
)

// Model is an open model.
type Model interface {
	index.QueryEmbedder
	// Done is closed when the model is gone, and Err says why.
	Done() <-chan struct{}
	Err() error
	// Close ends it and waits until nothing is left of it.
	Close()
}

// Options are what the actor is made from.
type Options struct {
	// Open opens the model. An error of kind Invalid or Unsupported is the last:
	// nothing but another configuration helps.
	Open func(context.Context) (Model, error)
	// Use has the search use a model, nil when there is none. It must not wait.
	Use    func(Model)
	Logger *slog.Logger
	Work   *mailbox.Group // counts what may outlive the actor for a moment
}

// keeper is the state of the actor; only Receive touches it.
type keeper struct {
	Options
	post   func(message any)
	ctx    context.Context // ends with the actor
	stop   context.CancelFunc
	timer  *time.Timer
	tries  *retry.Schedule
	since  time.Time // of the model that is open; zero: there is none
	failed int       // tries and models lost in a row
}

// The actor's messages to itself.
type (
	opened struct { // a try has ended
		model Model
		err   error
	}
	lost  struct{ err error } // the open model is gone
	again struct{}            // the time of the next try
)

// New makes the producer of the actor.
func New(o Options) actor.Producer {
	return func() actor.Receiver { return &keeper{Options: o, tries: retry.New()} }
}

// Receive handles one message.
func (k *keeper) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		k.start(c)
	case opened:
		k.opened(m)
	case lost:
		k.gone(m.err)
	case again:
		k.open()
	case actor.Stopped:
		k.end()
	}
}

func (k *keeper) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	k.post = func(message any) { engine.Send(self, message) }
	k.ctx, k.stop = context.WithCancel(context.Background())
	k.open()
}

// open tries on a goroutine, which stays with the model until its end, or until
// that of the actor.
func (k *keeper) open() {
	ctx, post := k.ctx, k.post
	k.Work.Go(func() {
		bounded, cancel := context.WithTimeout(ctx, openLimit)
		defer cancel()
		model, err := k.Open(bounded)
		if err != nil {
			post(opened{nil, err})
			return
		}
		defer model.Close()
		post(opened{model, nil})
		select {
		case <-model.Done():
			post(lost{model.Err()})
		case <-ctx.Done():
		}
	}, func(err error) { post(opened{nil, err}) })
}

func (k *keeper) opened(m opened) {
	if m.err != nil {
		k.gone(m.err)
		return
	}
	k.since = time.Now()
	k.Logger.Info("embedding model ready", slog.String("model", m.model.ID()), slog.Int("values", m.model.Dim()))
	k.Use(m.model)
}

// gone has the search do without, and sets the next try. It says so once for a
// row of failures.
func (k *keeper) gone(err error) {
	worked := time.Duration(0)
	if !k.since.IsZero() {
		worked = time.Since(k.since)
		k.since = time.Time{}
	}
	if retry.Forgets(worked) {
		k.failed = 0
	}
	k.failed++
	level := slog.LevelDebug
	if k.failed == 1 {
		level = slog.LevelWarn
	}
	mailbox.LogFailure(k.Logger, level, "search goes on with the embedded model", err)
	k.Use(nil)
	if final(err) {
		return
	}
	delay := k.tries.Next(worked)
	if k.failed >= quickTries {
		delay = restTime
	}
	post := k.post
	k.timer = time.AfterFunc(delay, func() { post(again{}) })
}

// final reports whether trying again is of no use.
func final(err error) bool {
	var e *toolscript.Error
	return errors.As(err, &e) && (e.Kind == toolscript.Invalid || e.Kind == toolscript.Unsupported)
}

func (k *keeper) end() {
	if k.stop == nil { // stopped before it began
		return
	}
	k.stop()
	if k.timer != nil {
		k.timer.Stop()
	}
}
