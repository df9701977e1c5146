package search

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/search/embedding"
)

const (
	// openLimit bounds one attempt. Models of several gigabytes are read from disk.
	openLimit = 2 * time.Minute
	// shortRetries is the number of failures in a row after which the interval between
	// attempts is longDelay: some models crash their process at each attempt.
	shortRetries = 8
	longDelay    = 5 * time.Minute
)

// OpenModel is an open model.
type OpenModel interface {
	embedding.Embedder
	// Done is closed when the model is lost. Err returns the reason.
	Done() <-chan struct{}
	Err() error
	// Close ends the model and waits until it has ended.
	Close()
}

// ModelSource opens a model.
type ModelSource struct {
	// Name is unique for each configuration.
	Name string
	// Open opens the model; nil means that there is no model. After an error of kind
	// Invalid or Unsupported there are no further attempts until the source changes.
	Open func(context.Context) (OpenModel, error)
}

// SourceChanged requests that the actor calls ModelOptions.Source again. A model in use stays if its
// source is the same. A source that failed is tried again.
type SourceChanged struct{}

// ModelOptions configure the actor.
type ModelOptions struct {
	Source func() ModelSource // returns the current source
	// Use makes the search use a model, or no model if it is nil. It must not block.
	Use func(OpenModel)
	// Hold makes the search use no model until the next Use. It must not block.
	Hold   func()
	Logger *slog.Logger
	Work   *mailbox.Group // counts goroutines, which may outlive the actor for a short time
}

// modelActor is the state of the actor that manages an external embedding model, in a process or
// at an endpoint. It opens the model, informs the search when it is available or lost, and opens it
// again. Only Receive accesses it.
type modelActor struct {
	ModelOptions
	post   func(message any)
	source ModelSource
	turn   int             // number of the source; late messages of earlier sources are ignored
	ctx    context.Context // cancelled when the source is replaced
	stop   context.CancelFunc
	timer  *time.Timer
	tries  *mailbox.Schedule
	since  time.Time // when the model was opened; zero: no model
	failed int       // failed attempts and lost models in a row
}

// Messages from the actor to itself.
type (
	opened struct { // an attempt has ended
		turn  int
		model OpenModel
		err   error
	}
	lost struct { // the open model is lost
		turn int
		err  error
	}
	again struct{ turn int } // the time of the next attempt has come
)

// NewModelActor returns the producer of the actor.
func NewModelActor(o ModelOptions) actor.Producer {
	return func() actor.Receiver { return &modelActor{ModelOptions: o} }
}

// Receive handles one message.
func (k *modelActor) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		k.start(c)
	case SourceChanged:
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

func (k *modelActor) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	k.post = func(message any) { mailbox.Send(engine, self, message) }
	k.adopt(k.Source())
}

// adopt starts using a source. The previous one is closed.
func (k *modelActor) adopt(source ModelSource) {
	k.source = source
	k.turn++
	k.ctx, k.stop = context.WithCancel(context.Background())
	k.tries, k.since, k.failed = mailbox.NewSchedule(), time.Time{}, 0
	if source.Open != nil {
		k.open()
	}
}

func (k *modelActor) changed() {
	source := k.Source()
	if source.Name == k.source.Name && (!k.since.IsZero() || k.failed == 0) {
		return
	}
	old, open := k.source, !k.since.IsZero()
	k.end()
	switch {
	case source.Open == nil && old.Open != nil:
		k.Use(nil)
	case open: // otherwise the search's own model would embed all tools meanwhile
		k.Hold()
	}
	k.adopt(source)
}

// open makes one attempt in a goroutine, which runs until the model or the actor
// ends.
func (k *modelActor) open() {
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

func (k *modelActor) opened(m opened) {
	if m.err != nil {
		k.gone(m.err)
		return
	}
	k.since = time.Now()
	k.Logger.Info("embedding model ready", slog.String("model", m.model.ID()), slog.Int("values", m.model.Dim()))
	k.Use(m.model)
}

// gone removes the model from the search and schedules the next attempt. It logs the
// first of several failures in a row.
func (k *modelActor) gone(err error) {
	worked := time.Duration(0)
	if !k.since.IsZero() {
		worked = time.Since(k.since)
		k.since = time.Time{}
	}
	if mailbox.Forgets(worked) {
		k.failed = 0
	}
	k.failed++
	level := slog.LevelDebug
	if k.failed == 1 {
		level = slog.LevelWarn
	}
	mailbox.LogFailure(k.Logger, level, "search continues with the embedded model", err)
	k.Use(nil)
	if final(err) {
		return
	}
	delay := k.tries.Next(worked)
	if k.failed >= shortRetries {
		delay = longDelay
	}
	post, turn := k.post, k.turn
	k.timer = time.AfterFunc(delay, func() { post(again{turn}) })
}

// final reports whether further attempts are useless.
func final(err error) bool {
	var e *toolscript.Error
	return errors.As(err, &e) && (e.Kind == toolscript.Invalid || e.Kind == toolscript.Unsupported)
}

// end closes the model, or cancels the attempts to open it.
func (k *modelActor) end() {
	if k.stop == nil { // stopped before the first source
		return
	}
	k.stop()
	if k.timer != nil {
		k.timer.Stop()
	}
}
