package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner"
)

// Scripts configures how a System runs scripts.
type Scripts struct {
	// StartChecker and StartSandbox start a worker process, which must be a runs.Checker or a runner.Runner. Nil:
	// the System runs no scripts.
	StartChecker func(context.Context) (workers.Worker, error)
	StartSandbox func(context.Context) (workers.Worker, error)

	// StartConverter starts a worker process for System.Convert, which must be a
	// worker.Converter. Nil: nothing can be converted.
	StartConverter func(context.Context) (workers.Worker, error)

	// Deno reports whether Deno is available. StartDeno starts a process that runs one
	// script on it: a runner.Runner. version is unique for each catalog of each
	// gateway. Nil: Deno is not available.
	Deno      func() toolscript.EngineStatus
	StartDeno func(ctx context.Context, version string) (workers.Worker, error)
	SpareDeno int // idle processes kept ready

	// Remote lends a sandbox of the fleet, with an error of kind Unavailable if there is none
	// at present. Nil: all scripts run on this machine.
	Remote func(context.Context) (runs.Remote, error)

	Defaults    func() Defaults                // settings of runs; nil: the zero Defaults
	URL         func(capability string) string // the URL of the gateway; nil: it has none
	KeptDir     string                         // folder for output and values above their limits; "" keeps none
	DetachedDir string                         // folder for the events of detached runs; "": runs cannot be detached
	Record      func(kept.Recording) error     // keeps the recording of a run; nil: none can be recorded
	Warm        bool                           // keep idle workers ready
	IdleTime    time.Duration                  // time without a run after which workers end; 0: 5 minutes
	Idle        func()                         // called when idle workers end; may be nil
	Sharers     func() int                     // returns the number of programs on this machine that keep workers; if it is large, idle workers end sooner; may be nil
}

// Defaults are the settings of a run for what its request leaves open. A zero field leaves
// the choice to the run.
type Defaults struct {
	Engine, Check string
	TZ            func() string // returns the name of the time zone; nil: UTC
	Pool          string        // PoolFleet: scripts run in sandboxes of the fleet; "": of this machine
	Limits        toolscript.Limits
}

func (d Defaults) zone() string {
	if d.TZ == nil {
		return ""
	}
	return d.TZ()
}

const (
	runsID       = "runs"
	checkersID   = "checkers"
	sandboxesID  = "sandboxes"
	convertersID = "converters"
	denoPoolID   = "denos"
)

// maxCheckers bounds the checkers. With two, a hostile script in one does not stop the
// other runs.
const maxCheckers = 2

// endTime is added to the connect time, because a server that did not connect needs up
// to five seconds to end. A call of the run then fails with the reason.
const endTime = 6 * time.Second

// scriptSpecs returns the actors that run scripts.
func (s *System) scriptSpecs() []mailbox.Spec {
	o := s.options.Scripts
	if o.StartChecker == nil || o.StartSandbox == nil {
		return nil
	}
	spare := 0
	if o.Warm {
		spare = 1
	}
	specs := []mailbox.Spec{
		{ID: checkersID, Produce: workers.New(workers.Options{
			Name: "checker", Start: o.StartChecker, Max: maxCheckers, Spare: spare, UnusedTime: o.IdleTime, Unused: o.Idle, Sharers: o.Sharers, Work: &s.work,
		})},
		{ID: sandboxesID, Produce: workers.New(workers.Options{
			Name: "sandbox", Start: o.StartSandbox, Nested: runs.MaxNested, Spare: spare, UnusedTime: o.IdleTime, Unused: o.Idle, Sharers: o.Sharers, Work: &s.work,
		})},
		{ID: runsID, Produce: runs.New(s.runDeps())},
	}
	if o.StartDeno != nil {
		specs = append(specs, s.denoSpec())
	}
	return specs
}

func (s *System) runDeps() runs.Deps {
	o := s.options.Scripts
	url := o.URL
	if url == nil {
		url = func(string) string { return "" }
	}
	return runs.Deps{
		Supervisor: s.supervises(runsID),

		Ended:   s.runEnded,
		Begun:   s.options.Audit.Run,
		Changed: func(run toolscript.RunEntry) { s.options.Feed.Put(run) },
		Record:  o.Record,
		Store:   s.store,
		URL:     url,
		Kept:    kept.Outputs{Dir: o.KeptDir},
		Limits:  func() toolscript.Limits { return s.defaults().Limits },
		CallDeps: runs.CallDeps{
			Reason:   s.Redact,
			Clean:    s.clean,
			Call:     s.callAny,
			Start:    s.startCall,
			Refused:  s.auditRefused,
			Answered: s.auditAnswered,
			Stub:     s.stub,
			Fetch:    s.Fetch,
		},
		CatalogDeps: runs.CatalogDeps{
			Lookup:      func(id string) (toolscript.Tool, bool) { return s.Catalog().Lookup(id) },
			Resolve:     s.resolve,
			Search:      s.Search,
			Describe:    s.Describe,
			Select:      s.Select,
			Names:       s.namesForScripts,
			Builtins:    s.Builtins,
			Reread:      s.rereadAll,
			Connecting:  func(f toolscript.Filter) []string { return connecting(s.current(), f) },
			Await:       func(ctx context.Context, f toolscript.Filter) { s.Await(ctx, f) },
			Unlisted:    func(f toolscript.Filter) toolscript.Filter { return unlisted(s.current(), f) },
			ListTime:    ListTime,
			Needed:      s.needed,
			Missing:     s.missingTools,
			ConnectTime: s.options.ConnectTimeout + endTime,
		},
		TypeDeps: runs.TypeDeps{
			Fits:     s.arguments.Accepts,
			Fit:      s.fitted,
			Breaks:   s.breaks,
			Types:    s.declarations,
			Narrowed: s.narrowedDeclarations,
			Untyped:  untyped,
			Dialect:  s.dialectDeclarations,
			Advise:   s.advise,
		},
		ProcessDeps: s.processDeps(),
	}
}

// processDeps returns the functions that lend processes to runs.
func (s *System) processDeps() runs.ProcessDeps {
	return runs.ProcessDeps{
		Checker: func(ctx context.Context) (runs.Checker, runs.GiveBack, error) {
			return borrow[runs.Checker](ctx, s, checkersID)
		},
		Sandbox: func(ctx context.Context) (runner.Runner, runs.GiveBack, error) {
			return borrow[runner.Runner](ctx, s, sandboxesID)
		},
		Deno: func(ctx context.Context) (runner.Runner, runs.GiveBack, error) {
			return borrow[runner.Runner](ctx, s, denoPoolID)
		},
		Remote: s.remoteSandbox,
	}
}

func (s *System) defaults() Defaults {
	if s.options.Scripts.Defaults == nil {
		return Defaults{}
	}
	return s.options.Scripts.Defaults()
}

// LoweredLimits describes in one line the limits above their maximum; "" if there is
// none.
func LoweredLimits(l toolscript.Limits) string {
	_, lowered := runs.Effective(l, toolscript.Limits{})
	return runs.Lowered(lowered)
}

// expectWorkers starts the processes that a run needs, in parallel, unless there are idle ones.
func (s *System) expectWorkers(engine string) {
	pools := []string{checkersID, sandboxesID}
	if engine == toolscript.EngineDeno {
		pools[1] = denoPoolID
	}
	for _, pool := range pools {
		if at, err := s.find(pool); err == nil { // otherwise the run reports it
			workers.Expect(at)
		}
	}
}

// borrow takes a worker of type T from a pool.
func borrow[T any](ctx context.Context, s *System, pool string) (T, runs.GiveBack, error) {
	var none T
	at, err := s.find(pool)
	if err != nil {
		return none, nil, err
	}
	take := workers.Take
	if runs.Nested(ctx) {
		take = workers.TakeNested
	}
	w, err := take(ctx, at)
	if err != nil {
		return none, nil, err
	}
	return w.(T), func(broken bool) { workers.GiveBack(at, w, broken || worn(w)) }, nil
}

// worn reports whether a worker must be replaced.
func worn(w workers.Worker) bool {
	ageing, ok := w.(interface{ Worn() bool })
	return ok && ageing.Worn()
}

// denoSpec returns the pool of Deno processes, which run one script each.
func (s *System) denoSpec() mailbox.Spec {
	o := s.options.Scripts
	start := func(ctx context.Context) (workers.Worker, error) {
		// The version is unique, even for two gateways that use one port in turn.
		return o.StartDeno(ctx, fmt.Sprintf("%x-%d", s.started.UnixNano(), s.Catalog().Generation()))
	}
	return mailbox.Spec{ID: denoPoolID, Produce: workers.New(workers.Options{Name: "Deno", Start: start, Nested: runs.MaxNested, Spare: o.SpareDeno, UnusedTime: o.IdleTime, Work: &s.work})}
}

// Engines returns all engines and whether they are available.
func (s *System) Engines() []toolscript.EngineStatus {
	return []toolscript.EngineStatus{{Name: toolscript.EngineQuickJS, Available: true}, s.deno()}
}

func (s *System) deno() toolscript.EngineStatus {
	if o := s.options.Scripts; o.StartDeno != nil && o.Deno != nil {
		return o.Deno()
	}
	return toolscript.EngineStatus{Name: toolscript.EngineDeno, Reason: "this gateway runs no scripts on Deno"}
}

// engineFor returns the engine for a request.
func (s *System) engineFor(asked string) (string, error) {
	switch asked {
	case toolscript.EngineAuto:
		if s.deno().Available {
			return toolscript.EngineDeno, nil
		}
	case toolscript.EngineDeno:
		if status := s.deno(); !status.Available {
			return "", &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("engine deno is not available: " + status.Reason)}
		}
		return toolscript.EngineDeno, nil
	}
	return toolscript.EngineQuickJS, nil
}
