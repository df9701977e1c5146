package actors

import (
	"context"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/typecache"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/observe"
)

// renderLimit bounds the wait for a module when the caller does not.
const renderLimit = time.Minute

// Types is the TypeScript module of the tools that f selects, as scripts outside
// the gateway import it.
func (s *System) Types(ctx context.Context, f toolscript.Filter, compact bool) (toolscript.Module, error) {
	form := codegen.Full
	if compact {
		form = codegen.Compact
	}
	r, err := s.render(ctx, f, form, s.shapes())
	return r.Module, err
}

// Declarations are the .d.ts of "toolscript" with the tools that f selects, for
// editors.
func (s *System) Declarations(ctx context.Context, f toolscript.Filter) (toolscript.Module, error) {
	r, err := s.render(ctx, f, codegen.Declarations, s.shapes())
	return r.Module, err
}

// shapes are the results seen of tools that promise none; nil when they are not
// to be shown.
func (s *System) shapes() *observe.Shapes {
	if !s.observes() {
		return nil
	}
	return s.observed.Shapes()
}

// observes reports whether results are remembered and shown.
func (s *System) observes() bool { return !s.options.NoObserve && !s.options.Types().NoObserve }

// render makes a module. One for a checker shows nothing observed, so that it
// stays the same when results come.
func (s *System) render(ctx context.Context, f toolscript.Filter, form codegen.Form, observed *observe.Shapes) (typecache.Rendered, error) {
	at, err := s.find(typecacheID)
	if err != nil {
		return typecache.Rendered{}, err
	}
	view, options := s.current(), s.options.Types().Options
	options.Form = form
	if form != codegen.Compact {
		options.Describe = 0
	}
	ctx, cancel := bounded(ctx, renderLimit)
	defer cancel()
	return mailbox.Ask(ctx, at, func(r mailbox.Reply[typecache.Rendered]) any {
		return typecache.Render{
			Catalog: event.CatalogChanged{Catalog: view.Catalog, Names: view.Names},
			Filter:  f, Options: options, Observed: observed, Reply: r,
		}
	})
}

// find is the address of an actor that runs.
func (s *System) find(id string) (mailbox.Address, error) {
	if s.closing.Err() != nil {
		return mailbox.Address{}, mailbox.ErrStopped
	}
	at, ok := s.directory.find(id)
	if !ok {
		return mailbox.Address{}, mailbox.ErrEnded
	}
	return at, nil
}
