package harness

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/builtin/patch"
	"github.com/toolscript/toolscript/transport/builtin/web"
	"github.com/toolscript/toolscript/transport/convert"
	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/openapi"
)

// conversions returns the conversions that a converter process supports.
func conversions() (all []worker.Conversion) {
	for _, k := range []convert.Kind{graphql.Schema, openapi.Document, patch.Applying, patch.Reading, web.Page} {
		all = append(all, worker.Conversion{Name: k.Name, Do: k.Do})
	}
	return all
}

// ConvertWhen returns a convert.Port that waits until ready is closed. It serves a gateway
// that is being started, whose servers may need conversions before the start has returned.
func ConvertWhen(ready <-chan struct{}, port func() convert.Port) convert.Port {
	return func(ctx context.Context, name string, input [][]byte, need convert.Need, most int) ([]byte, error) {
		select {
		case <-ready:
			return port()(ctx, name, input, need, most)
		case <-ctx.Done():
			return nil, toolscript.ContextError(ctx)
		}
	}
}
