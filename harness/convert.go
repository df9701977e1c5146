package harness

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/upstream"
)

// conversions returns the conversions that a converter process supports.
func conversions() (all []worker.Conversion) {
	for _, k := range upstream.Conversions() {
		all = append(all, worker.Conversion{Name: k.Name, Do: k.Do})
	}
	return all
}

// ConvertWhen returns an upstream.ConvertPort that waits until ready is closed, and then uses the result
// of port. A gateway needs it while it starts: its servers may need conversions before port can be
// called.
func ConvertWhen(ready <-chan struct{}, port func() upstream.ConvertPort) upstream.ConvertPort {
	return func(ctx context.Context, name string, input [][]byte, need upstream.ConvertNeed, most int) ([]byte, error) {
		select {
		case <-ready:
			return port()(ctx, name, input, need, most)
		case <-ctx.Done():
			return nil, toolscript.ContextError(ctx)
		}
	}
}
