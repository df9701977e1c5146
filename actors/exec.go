package actors

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution"
	"github.com/toolscript/toolscript/actors/execution/outputs"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner"
)

// Scripts says how a System runs scripts.
type Scripts struct {
	// StartChecker and StartSandbox start a worker process; what they start must
	// be an execution.Checker and a runner.Runner. Nil: scripts cannot be run.
	StartChecker func(context.Context) (workers.Worker, error)
	StartSandbox func(context.Context) (workers.Worker, error)

	// Deno says whether Deno is here, and StartDeno starts a process that runs one
	// script on it: a runner.Runner. version tells the catalogs of all gateways
	// apart. Nil: there is no Deno.
	Deno      func() toolscript.EngineStatus
	StartDeno func(ctx context.Context, version string) (workers.Worker, error)
	SpareDeno int // processes kept ready before they are asked for

	Limits  func() toolscript.Limits       // of a run that asks for none; nil and zero fields: execution.Defaults
	URL     func(capability string) string // the gateway's own URL; nil: it has none
	KeptDir string                         // folder of output and values over their limits; "" keeps none
	Warm    bool                           // keep workers ready before they are asked for
}

const (
	runsID      = "runs"
	checkersID  = "checkers"
	sandboxesID = "sandboxes"
	denosID     = "denos"
)

// maxCheckers bounds the checkers: a second one keeps other runs going while a
// hostile script holds the first.
const maxCheckers = 2

// endTime is what a server that did not connect in time gets to end, five seconds
// at most: a run waits that long too, and then hears the reason.
const endTime = 6 * time.Second

// scriptSpecs are the actors that scripts need.
func (s *System) scriptSpecs() []spec {
	o := s.options.Scripts
	if o.StartChecker == nil || o.StartSandbox == nil {
		return nil
	}
	spare := 0
	if o.Warm {
		spare = 1
	}
	specs := []spec{
		{id: checkersID, produce: workers.New(workers.Options{Name: "checker", Start: o.StartChecker, Max: maxCheckers, Spare: spare, Work: &s.work})},
		{id: sandboxesID, produce: workers.New(workers.Options{Name: "sandbox", Start: o.StartSandbox, Spare: spare, Work: &s.work})},
		{id: runsID, produce: execution.New(s.runDeps())},
	}
	if o.StartDeno != nil {
		specs = append(specs, s.denoSpec())
	}
	return specs
}

func (s *System) runDeps() execution.Deps {
	o := s.options.Scripts
	url := o.URL
	if url == nil {
		url = func(string) string { return "" }
	}
	limits := func() toolscript.Limits {
		if o.Limits == nil {
			return toolscript.Limits{}
		}
		return o.Limits()
	}
	return execution.Deps{
		Spawn:      s.spawn,
		Call:       s.callAny,
		Fetch:      s.Fetch,
		Lookup:     func(id string) (toolscript.Tool, bool) { return s.Catalog().Lookup(id) },
		Missing:    func(id string, allow toolscript.Filter) error { return s.missing(s.current(), id, allow) },
		Fits:       s.fits,
		Search:     s.Search,
		Describe:   s.Describe,
		Names:      s.tableOfNames(),
		Types:      s.declarations,
		Connecting: func(f toolscript.Filter) []string { return connecting(s.current(), f) },
		Await:      func(ctx context.Context, f toolscript.Filter) { s.Await(ctx, f) },
		Checker: func(ctx context.Context) (execution.Checker, execution.GiveBack, error) {
			return borrow[execution.Checker](ctx, s, checkersID)
		},
		Sandbox: func(ctx context.Context) (runner.Runner, execution.GiveBack, error) {
			return borrow[runner.Runner](ctx, s, sandboxesID)
		},
		Deno: func(ctx context.Context) (runner.Runner, execution.GiveBack, error) {
			return borrow[runner.Runner](ctx, s, denosID)
		},
		URL:         url,
		Kept:        outputs.Store{Dir: o.KeptDir},
		Limits:      limits,
		ConnectTime: s.options.ConnectTimeout + endTime,
	}
}

// LoweredLimits says in one line which limits no run would have as they are; ""
// when there is none.
func LoweredLimits(l toolscript.Limits) string {
	_, lowered := execution.Effective(l, toolscript.Limits{})
	return execution.Lowered(lowered)
}

// borrow takes a worker of the kind that T is from a pool.
func borrow[T any](ctx context.Context, s *System, pool string) (T, execution.GiveBack, error) {
	var none T
	at, err := s.find(pool)
	if err != nil {
		return none, nil, err
	}
	w, err := workers.Take(ctx, at)
	if err != nil {
		return none, nil, err
	}
	return w.(T), func(broken bool) { workers.GiveBack(at, w, broken || worn(w)) }, nil
}

// worn reports whether a worker asks to be replaced.
func worn(w workers.Worker) bool {
	ageing, ok := w.(interface{ Worn() bool })
	return ok && ageing.Worn()
}

// fits reports whether a value satisfies a schema. A schema that cannot be
// understood is satisfied by everything.
func (s *System) fits(schema, value json.RawMessage) bool {
	details, err := s.arguments.Check(schema, value)
	return err != nil || len(details) == 0
}

// Exec runs a script and passes its events on as they happen. It returns when
// the run has ended; the error says why a run could not begin. The run ends with
// ctx, and when emit fails.
func (s *System) Exec(ctx context.Context, request toolscript.ExecRequest, emit func(toolscript.Event) error) (err error) {
	defer s.recovered(&err)
	if err := request.Validate(); err != nil {
		return err
	}
	if request.Engine, err = s.engineFor(request.Engine); err != nil {
		return err
	}
	at, err := s.find(runsID)
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, spawnLimit)
	defer cancel()
	handle, err := mailbox.Ask(asking, at, func(r mailbox.Reply[execution.Handle]) any {
		return execution.Begin{Ctx: ctx, Request: request, Emit: emit, Reply: r}
	})
	if err != nil {
		return err
	}
	<-handle.Done
	return nil
}

// Runs are the records of the last runs, the newest first, without their calls.
func (s *System) Runs(ctx context.Context) ([]toolscript.RunRecord, error) {
	return askRuns(ctx, s, func(r mailbox.Reply[[]toolscript.RunRecord]) any { return execution.List{Reply: r} })
}

// Run is the whole record of one run.
func (s *System) Run(ctx context.Context, id string) (toolscript.RunRecord, error) {
	return askRuns(ctx, s, func(r mailbox.Reply[toolscript.RunRecord]) any { return execution.Get{ID: id, Reply: r} })
}

// RunOutput is what is kept of a run beyond its limits, also of runs of other
// Systems with the same folder. The error for what is not there is NotFound.
func (s *System) RunOutput(_ context.Context, id string, q toolscript.OutputQuery) ([]byte, error) {
	return outputs.Store{Dir: s.options.Scripts.KeptDir}.Read(id, q)
}

// AbortRun ends a run that is under way, or the tasks that an ended one has left.
func (s *System) AbortRun(ctx context.Context, id string) error {
	_, err := askRuns(ctx, s, func(r mailbox.Reply[struct{}]) any { return execution.Abort{ID: id, Reply: r} })
	return err
}

// GiveStdin gives a run the next piece of its standard input. It returns when
// the piece before it has been taken.
func (s *System) GiveStdin(ctx context.Context, id string, piece toolscript.StdinPiece) error {
	_, err := askRuns(ctx, s, func(r mailbox.Reply[struct{}]) any {
		return execution.Stdin{ID: id, Piece: piece, Reply: r}
	})
	return err
}

// ReplyRun answers a question that a server has put to the person who started a
// run. An answer that does not fit leaves the question open.
func (s *System) ReplyRun(ctx context.Context, id string, answer toolscript.Answer) error {
	_, err := askRuns(ctx, s, func(r mailbox.Reply[struct{}]) any {
		return execution.Answer{ID: id, Answer: answer, Reply: r}
	})
	return err
}

// RunOf finds the run under way that holds a capability, and what it may call.
func (s *System) RunOf(capability string) (id string, allow toolscript.Filter, ok bool) {
	found, err := askRuns(context.Background(), s, func(r mailbox.Reply[execution.Holder]) any {
		return execution.Whose{Capability: capability, Reply: r}
	})
	return found.Run, found.Allow, err == nil && found.Run != ""
}

func askRuns[T any](ctx context.Context, s *System, build func(mailbox.Reply[T]) any) (T, error) {
	var none T
	at, err := s.find(runsID)
	if err != nil {
		return none, err
	}
	ctx, cancel := bounded(ctx, execution.StdinTime+spawnLimit)
	defer cancel()
	return mailbox.Ask(ctx, at, build)
}
