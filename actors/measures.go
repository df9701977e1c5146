package actors

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/approval"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/server"
)

// maxToolCounters bounds the tools with counters of their own.
const maxToolCounters = 200

// counters are the counters of a System, except the counters of its servers.
type counters struct {
	unrouted mailbox.Outcomes // calls of tools that belong to no configured server

	runs      mailbox.Outcomes
	durations mailbox.Durations // durations of runs
	compiled  mailbox.Outcomes  // runs that found their script compiled; only toolscript.OutcomeOK
	checked   mailbox.Outcomes  // runs that found their script type-checked, likewise

	mu    sync.Mutex
	tools sync.Map // *toolCounter by id of the tool
	count int      // entries of tools; guarded by mu
}

type toolCounter struct {
	server   string
	outcomes mailbox.Outcomes
}

// port returns the Port of a server, which makes calls without the server's actor.
func (s *System) port(name string) *server.Port {
	if port, ok := s.ports.Load(name); ok {
		return port.(*server.Port)
	}
	port, _ := s.ports.LoadOrStore(name, &server.Port{})
	return port.(*server.Port)
}

// countCall counts a call. id and owner are the results of loggable.
func (s *System) countCall(id, owner, outcome string, bytes int) {
	if owner == "" {
		s.counters.unrouted.Add(outcome)
		return
	}
	s.port(owner).Traffic.Calls.Ended(outcome, bytes)
	if filter := s.options.CountTools; filter != nil {
		s.counters.tool(id, owner, filter()).Add(outcome)
	}
}

// nowhere receives the counts of tools without a counter. It is never read.
var nowhere mailbox.Outcomes

// tool returns the counter of a tool; nowhere for a tool without a counter of its own.
func (c *counters) tool(id, server string, selected toolscript.Filter) *mailbox.Outcomes {
	if len(selected) == 0 {
		return &nowhere
	}
	if known, ok := c.tools.Load(id); ok {
		return &known.(*toolCounter).outcomes
	}
	if !selected.Covers(id) {
		return &nowhere
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count >= maxToolCounters {
		return &nowhere
	}
	counter, known := c.tools.LoadOrStore(id, &toolCounter{server: server})
	if !known {
		c.count++
	}
	return &counter.(*toolCounter).outcomes
}

// countRun counts a run that has ended.
func (s *System) countRun(r toolscript.RunRecord) {
	s.counters.runs.Add(string(r.Kind))
	if r.EndedAt != nil {
		s.counters.durations.Observe(r.EndedAt.Sub(r.StartedAt))
	}
	if r.Metrics == nil {
		return
	}
	for _, name := range r.Metrics.Cached {
		switch name {
		case "compiled":
			s.counters.compiled.Add(toolscript.OutcomeOK)
		case "checked":
			s.counters.checked.Add(toolscript.OutcomeOK)
		}
	}
}

// Measures returns the counters of the gateway. It takes at most a second, even if actors
// are stuck.
func (s *System) Measures(ctx context.Context) (toolscript.Measures, error) {
	actors, err := s.actors(ctx)
	if err != nil {
		return toolscript.Measures{}, err
	}
	m := toolscript.Measures{
		Started: s.started, Actors: actors, Unrouted: s.counters.unrouted.Read(), Tools: s.counters.allTools(),
		Runs: toolscript.RunMeasures{Outcomes: s.counters.runs.Read(), Durations: s.counters.durations.Read()},
		CacheHits: map[string]uint64{
			"compiled": s.counters.compiled.Read()[toolscript.OutcomeOK],
			"checked":  s.counters.checked.Read()[toolscript.OutcomeOK],
		},
	}
	if audit := s.options.Audit.Stats(); audit != nil {
		m.AuditDropped = uint64(max(audit.Dropped, 0))
	}
	for _, status := range s.servers(ctx, s.current()) {
		m.Servers = append(m.Servers, measured(status, &s.port(status.Name).Traffic))
	}
	ctx, cancel := context.WithTimeout(ctx, statusLimit)
	defer cancel()
	if waiting, err := askApprovals(ctx, s, func(r mailbox.Reply[int]) any { return approval.Count{Reply: r} }); err == nil {
		m.Approvals = waiting
	}
	if live, err := askRuns(ctx, s, func(r mailbox.Reply[int]) any { return runs.Count{Reply: r} }); err == nil {
		m.Runs.Live = live
	}
	return m, nil
}

func measured(status toolscript.ServerStatus, t *server.Traffic) toolscript.ServerMeasures {
	return toolscript.ServerMeasures{
		ServerStatus: status, Outcomes: t.Calls.Outcomes.Read(), Durations: t.Durations.Read(), AnswerBytes: t.Calls.Bytes.Load(),
		DroppedLines: t.DroppedLines.Load(), Fetches: t.Fetches.Read(),
	}
}

// addTraffic adds the measures of the calls of a server to its status.
func (s *System) addTraffic(status *toolscript.ServerStatus) {
	t := &s.port(status.Name).Traffic
	for outcome, n := range t.Calls.Outcomes.Read() {
		status.Calls += n
		if outcome != toolscript.OutcomeOK {
			status.Errors += n
		}
	}
	durations := t.Durations.Read()
	status.P50Ms = milliseconds(durations.Quantile(0.5))
	status.P95Ms = milliseconds(durations.Quantile(0.95))
	status.Hour = t.Hour.Read(time.Now())
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (c *counters) allTools() []toolscript.ToolMeasures {
	var all []toolscript.ToolMeasures
	c.tools.Range(func(id, counter any) bool {
		t := counter.(*toolCounter)
		all = append(all, toolscript.ToolMeasures{Server: t.server, Tool: id.(string), Outcomes: t.outcomes.Read()})
		return true
	})
	slices.SortFunc(all, func(a, b toolscript.ToolMeasures) int { return cmp.Compare(a.Tool, b.Tool) })
	return all
}
