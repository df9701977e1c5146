package actors

import (
	"context"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxConverters bounds the converters. With two, a hostile document in one does not stop
// the other callers; both together take at most 512 MB.
const maxConverters = 2

// converterIdle is the time after which an unused converter ends. None is
// started before the first conversion.
const converterIdle = 5 * time.Minute

// converter is a worker.Converter.
type converter interface {
	Convert(ctx context.Context, name string, input [][]byte, need upstream.ConvertNeed, most int) ([]byte, error)
}

// converterSpecs returns the pool of the processes that read foreign documents.
func (s *System) converterSpecs() []mailbox.Spec {
	o := s.options.Scripts
	if o.StartConverter == nil {
		return nil
	}
	return []mailbox.Spec{{ID: convertersID, Produce: workers.New(workers.Options{
		Name: "converter", Start: o.StartConverter, Max: maxConverters, IdleTime: converterIdle, UnusedTime: o.IdleTime, Work: &s.work,
	})}}
}

var errNoConverters = &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("this program has no worker processes for foreign documents")}

// Convert makes a conversion in a worker process, which is killed when ctx ends. It is an upstream.ConvertPort.
func (s *System) Convert(ctx context.Context, name string, input [][]byte, need upstream.ConvertNeed, most int) ([]byte, error) {
	if s.options.Scripts.StartConverter == nil {
		return nil, errNoConverters
	}
	c, giveBack, err := borrow[converter](ctx, s, convertersID)
	if err != nil {
		return nil, err
	}
	defer giveBack(false) // a converter that has ended is replaced
	return c.Convert(ctx, name, input, need, most)
}
