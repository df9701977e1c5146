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

// Source is where a model comes from.
type Source struct {
	// Name differs for each configuration.
	Name string
	// Open opens the model; nil: there is none. An error of kind Invalid or
	// Unsupported is the last: nothing but another configuration helps.
	Open func(context.Context) (Model, error)
}

// Changed tells the actor that the Source may be another one. A model that is in
// use stays if it is not; one that could not be opened is tried again.
type Changed struct{}

// Options are what the actor is made from.
type Options struct {
	Source func() Source // the one in force
	// Use has the search use a model, nil when there is none. It must not wait.
	Use func(Model)
	// Hold has it use none until the next Use. It must not wait either.
	Hold   func()
	Logger *slog.Logger
	Work   *mailbox.Group // counts what may outlive the actor for a moment
}

// keeper is the state of the actor; only Receive touches it.
type keeper struct {
	Options
	post   func(message any)
	source Source
	turn   int             // counts the sources, as a late message may be about an earlier one
	ctx    context.Context // ends with the source's time
	stop   context.CancelFunc
	timer  *time.Timer
	tries  *retry.Schedule
	since  time.Time // of the model that is open; zero: there is none
	failed int       // tries and models lost in a row
}

// The actor's messages to itself.
type (
	opened struct { // a try has ended
		turn  int
		model Model
		err   error
	}
	lost struct { // the open model is gone
		turn int
		err  error
	}
	again struct{ turn int } // the time of the next try
)

// New makes the producer of the actor.
func New(o Options) actor.Producer {
	return func() actor.Receiver { return &keeper{Options: o} }
}

// Receive handles one message.
func (k *keeper) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		k.start(c)
	case Changed:
		k.changed()
	case opened:
		if m.turn == k.turn {
			k.opened(m)
		}
	case lost:
		if m.turn == k.turn {
			k.gone(m.err)
		}
	case again:
		if m.turn == k.turn {
			k.open()
		}
	case actor.Stopped:
		k.end()
	}
}

func (k *keeper) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	k.post = func(message any) { engine.Send(self, message) }
	k.adopt(k.Source())
}

// adopt begins with a source, after the one before it has been given up.
func (k *keeper) adopt(source Source) {
	k.source = source
	k.turn++
	k.ctx, k.stop = context.WithCancel(context.Background())
	k.tries, k.since, k.failed = retry.New(), time.Time{}, 0
	if source.Open != nil {
		k.open()
	}
}

func (k *keeper) changed() {
	source := k.Source()
	if source.Name == k.source.Name && (!k.since.IsZero() || k.failed == 0) {
		return
	}
	old, open := k.source, !k.since.IsZero()
	k.end()
	switch {
	case source.Open == nil && old.Open != nil:
		k.Use(nil)
	case open: // and not the search's own, which would begin to embed everything
		k.Hold()
	}
	k.adopt(source)
}

// open tries on a goroutine, which stays with the model until its end, or until
// that of the actor.
func (k *keeper) open() {
	ctx, post, open, turn := k.ctx, k.post, k.source.Open, k.turn
	k.Work.Go(func() {
		bounded, cancel := context.WithTimeout(ctx, openLimit)
		defer cancel()
		model, err := open(bounded)
		if err != nil {
			post(opened{turn, nil, err})
			return
		}
		defer model.Close()
		post(opened{turn, model, nil})
		select {
		case <-model.Done():
			post(lost{turn, model.Err()})
		case <-ctx.Done():
		}
	}, func(err error) { post(opened{turn, nil, err}) })
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
	post, turn := k.post, k.turn
	k.timer = time.AfterFunc(delay, func() { post(again{turn}) })
}

// final reports whether trying again is of no use.
func final(err error) bool {
	var e *toolscript.Error
	return errors.As(err, &e) && (e.Kind == toolscript.Invalid || e.Kind == toolscript.Unsupported)
}

// end gives the model up, or the tries to open it.
func (k *keeper) end() {
	if k.stop == nil { // stopped before it began
		return
	}
	k.stop()
	if k.timer != nil {
		k.timer.Stop()
	}
}
