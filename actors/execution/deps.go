package execution

import (
	"context"
	"encoding/json"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution/outputs"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/runner"
)

// Deps is what runs need of the gateway.
type Deps struct {
	// Spawn starts an actor that ends with its work, under the supervisor.
	Spawn func(ctx context.Context, id string, p actor.Producer) (mailbox.Address, error)

	// Call makes a tool call, whatever run it belongs to.
	Call func(context.Context, toolscript.Call) (json.RawMessage, error)
	// Fetch asks for what servers offer beside tools.
	Fetch func(context.Context, toolscript.Offered) (json.RawMessage, error)
	// Lookup finds a tool in the current catalog.
	Lookup func(id string) (toolscript.Tool, bool)
	// Missing says why a tool is not in the catalog, and names none but allowed ones.
	Missing func(id string, allow toolscript.Filter) error
	// Fits reports whether a value satisfies a schema.
	Fits func(schema, value json.RawMessage) bool
	// Search and Describe find tools of the current catalog.
	Search   func(context.Context, toolscript.SearchQuery) (toolscript.SearchAnswer, error)
	Describe func(ctx context.Context, name string) (toolscript.ToolDescription, error)
	// Names is the table of the current catalog.
	Names func() *runner.Names
	// Types are the declarations that a script which uses these servers is
	// checked against.
	Types func(context.Context, runner.Uses) (runner.Declarations, error)
	// Connecting are the servers, of those the filter selects, that are still
	// connecting; Await waits until there are none, or ctx ends.
	Connecting func(toolscript.Filter) []string
	Await      func(context.Context, toolscript.Filter)

	// Checker and Sandbox lend a worker and the way to give it back.
	Checker func(context.Context) (Checker, GiveBack, error)
	Sandbox func(context.Context) (runner.Runner, GiveBack, error)
	// Deno is the same for a run that asks for that engine.
	Deno func(context.Context) (runner.Runner, GiveBack, error)

	// Kept is where output and values over their limits stay.
	Kept outputs.Store

	// URL is the gateway's own URL with the given capability; "" when it has none.
	URL func(capability string) string

	Limits      func() toolscript.Limits // of a run that asks for none
	ConnectTime time.Duration            // how long a run waits for the servers it names
}

// GiveBack returns a borrowed worker; a broken one is replaced.
type GiveBack func(broken bool)
