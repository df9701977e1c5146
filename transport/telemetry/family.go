package telemetry

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// maxValues is the maximum number of values of the labels server and actor. All further servers and
// actors, in the order of their names, share the value Other.
const maxValues = 200

// Other is the value of the labels server and actor for all servers and actors beyond maxValues.
const Other = "(other)"

// Kind is the type of a metric.
type Kind string

// The kinds of metrics.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram" // histogram of durations in seconds
)

// Family is a metric with all its points. Name is its name in OpenTelemetry.
type Family struct {
	Name   string
	Kind   Kind
	Unit   string // s, By or a noun in braces; see UCUM
	Help   string
	Points []Point
}

// Point is one value of a metric. Labels are in the order of the family.
type Point struct {
	Labels    []Label
	Value     float64
	Durations *toolscript.Durations // for a Histogram; Value is then not used
}

// Label is an attribute of a point. Name is its name in OpenTelemetry.
type Label struct{ Name, Value string }

// Families returns all metrics of a gateway, including metrics without points.
func Families(m toolscript.Measures) []Family {
	b := builder{servers: shown(m.Servers)}
	b.gateway(m)
	b.ofServers(m)
	b.ofRuns(m)
	b.ofActors(m.Actors)
	return b.all
}

// shown returns the names of the servers that are used as label values.
func shown(servers []toolscript.ServerMeasures) map[string]bool {
	names := map[string]bool{}
	for _, s := range servers[:min(len(servers), maxValues)] {
		names[s.Name] = true
	}
	return names
}

type builder struct {
	servers map[string]bool
	all     []Family
}

func (b *builder) add(name string, kind Kind, unit, help string) *Family {
	b.all = append(b.all, Family{Name: name, Kind: kind, Unit: unit, Help: help})
	return &b.all[len(b.all)-1]
}

// server returns the label of a server.
func (b *builder) server(name string) Label {
	if name != "" && !b.servers[name] {
		name = Other
	}
	return Label{"server", name}
}

// put adds a value to the point with these labels.
func (f *Family) put(value float64, labels ...Label) {
	if i := f.find(labels); i >= 0 {
		f.Points[i].Value += value
		return
	}
	f.Points = append(f.Points, Point{Labels: labels, Value: value})
}

// putDurations adds a histogram to the point with these labels.
func (f *Family) putDurations(d toolscript.Durations, labels ...Label) {
	i := f.find(labels)
	if i < 0 {
		f.Points = append(f.Points, Point{Labels: labels, Durations: &d})
		return
	}
	sum := f.Points[i].Durations
	sum.Sum += d.Sum
	for bucket, n := range d.Counts {
		sum.Counts[bucket] += n
	}
}

// find returns the index of the point with these labels, or -1. It searches only for labels that several
// servers or actors can have: labels with the value Other, and labels of actors, because actors of one kind,
// such as runs, share a value.
func (f *Family) find(labels []Label) int {
	if !slices.ContainsFunc(labels, func(l Label) bool { return l.Value == Other || l.Name == "actor" }) {
		return -1
	}
	return slices.IndexFunc(f.Points, func(p Point) bool { return slices.Equal(p.Labels, labels) })
}

func (f *Family) putOutcomes(outcomes map[string]uint64, labels ...Label) {
	for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
		f.put(float64(outcomes[outcome]), append(slices.Clone(labels), Label{"outcome", outcome})...)
	}
}

var states = []toolscript.ServerState{
	toolscript.Connecting, toolscript.Installing, toolscript.Ready, toolscript.Resting, toolscript.Starting, toolscript.Backoff, toolscript.NeedsAuth, toolscript.Failed, toolscript.Stopped,
}

func (b *builder) gateway(m toolscript.Measures) {
	b.add("toolscript.gateway.info", Gauge, "", "Always 1. The label says which version of the gateway runs.").
		put(1, Label{"version", toolscript.Version})
	b.add("process.start_time", Gauge, "s", "When the gateway was started, in seconds since 1970.").
		put(float64(m.Started.UnixMilli()) / 1000)
	b.add("go.goroutines", Gauge, "", "Goroutines of the gateway.").put(float64(runtime.NumGoroutine()))
	b.add("toolscript.approvals.pending", Gauge, "", "Calls that wait for the approval of a person.").put(float64(m.Approvals))
	b.add("toolscript.audit.lines.dropped", Counter, "", "Lines that the audit could not keep.").put(float64(m.AuditDropped))
	byState := b.add("toolscript.servers", Gauge, "", "Configured servers by state.")
	for _, state := range states {
		n := 0
		for _, s := range m.Servers {
			if s.State == state {
				n++
			}
		}
		byState.put(float64(n), Label{"state", string(state)})
	}
}

func (b *builder) ofServers(m toolscript.Measures) {
	for _, metric := range []struct {
		name string
		kind Kind
		unit string
		help string
		of   func(toolscript.ServerMeasures) float64
	}{
		{"toolscript.server.up", Gauge, "", "1 if the server is connected or at rest, else 0.", func(s toolscript.ServerMeasures) float64 {
			if s.Serves() {
				return 1
			}
			return 0
		}},
		{"toolscript.server.restarts", Counter, "", "Connections to the server after the first, without those after a rest.", func(s toolscript.ServerMeasures) float64 { return float64(s.Restarts) }},
		{"toolscript.server.tools", Gauge, "", "Tools of the server.", func(s toolscript.ServerMeasures) float64 { return float64(s.Tools) }},
		{"toolscript.server.calls.in_flight", Gauge, "", "Calls that the server has not answered yet.", func(s toolscript.ServerMeasures) float64 { return float64(s.InFlight) }},
		{"toolscript.server.calls.queued", Gauge, "", "Calls that wait for their turn or for a connection.", func(s toolscript.ServerMeasures) float64 { return float64(s.Queued) }},
		{"toolscript.server.calls.delayed", Counter, "", "Calls that had to wait because of the rate limit of the server.", ofRate(func(r toolscript.RateLimit) uint64 { return r.Delayed })},
		{"toolscript.server.calls.refused", Counter, "", "Calls that failed because the rate limit of the server allowed them only after their deadline.", ofRate(func(r toolscript.RateLimit) uint64 { return r.Refused })},
		{"toolscript.server.answer.size", Counter, "By", "Bytes of the answers of tools.", func(s toolscript.ServerMeasures) float64 { return float64(s.AnswerBytes) }},
		{"toolscript.server.log_lines.dropped", Counter, "", "Lines about the server that were left out of the log, because there were too many.", func(s toolscript.ServerMeasures) float64 { return float64(s.DroppedLines) }},
	} {
		f := b.add(metric.name, metric.kind, metric.unit, metric.help)
		for _, s := range m.Servers {
			f.put(metric.of(s), b.server(s.Name))
		}
	}
	calls := b.add("toolscript.calls", Counter, "", "Calls by server and outcome: ok, or the kind of the error. The server is empty if no server has the tool.")
	calls.putOutcomes(m.Unrouted, Label{"server", ""})
	for _, s := range m.Servers {
		calls.putOutcomes(s.Outcomes, b.server(s.Name))
	}
	tools := b.add("toolscript.tool.calls", Counter, "", "Calls by tool and outcome, for the tools that telemetry.metrics.tools selects.")
	for _, t := range m.Tools {
		tools.putOutcomes(t.Outcomes, b.server(t.Server), Label{"gen_ai.tool.name", t.Tool})
	}
	durations := b.add("mcp.client.operation.duration", Histogram, "s", "Time from a request to the answer of the server: of a tool call, and of a request for resources or prompts.")
	for _, s := range m.Servers {
		durations.putDurations(s.Durations, b.server(s.Name), Label{"mcp.method.name", "tools/call"})
		for _, method := range slices.Sorted(maps.Keys(s.Fetches)) {
			durations.putDurations(s.Fetches[method], b.server(s.Name), Label{"mcp.method.name", method})
		}
	}
}

// ofRate returns a function that returns a counter of a server's rate limit; 0 for a server without a limit.
func ofRate(count func(toolscript.RateLimit) uint64) func(toolscript.ServerMeasures) float64 {
	return func(s toolscript.ServerMeasures) float64 {
		if s.RateLimit == nil {
			return 0
		}
		return float64(count(*s.RateLimit))
	}
}

func (b *builder) ofRuns(m toolscript.Measures) {
	b.add("toolscript.runs", Counter, "", "Ended runs of scripts by outcome: ok, or the kind of the error.").putOutcomes(m.Runs.Outcomes)
	b.add("toolscript.runs.live", Gauge, "", "Runs that have not ended.").put(float64(m.Runs.Live))
	b.add("toolscript.run.duration", Histogram, "s", "Time from the start of a run to its end.").putDurations(m.Runs.Durations)
	hits := b.add("toolscript.run.cache_hits", Counter, "", "Runs whose script was found in a cache, compiled or checked.")
	for _, name := range slices.Sorted(maps.Keys(m.CacheHits)) {
		hits.put(float64(m.CacheHits[name]), Label{"cache", name})
	}
}

func (b *builder) ofActors(actors []toolscript.ActorStatus) {
	for _, metric := range []struct {
		name string
		kind Kind
		help string
		of   func(toolscript.ActorStatus) float64
	}{
		{"toolscript.actor.mailbox.messages", Gauge, "Messages that wait in the mailbox of an actor. All runs are one value.", func(a toolscript.ActorStatus) float64 { return float64(a.Waiting) }},
		{"toolscript.actor.restarts", Counter, "Restarts of an actor after a panic.", func(a toolscript.ActorStatus) float64 { return float64(a.Restarts) }},
	} {
		f := b.add(metric.name, metric.kind, "", metric.help)
		for _, a := range actors {
			f.put(metric.of(a), Label{"actor", b.actor(a.Name)})
		}
	}
}

// actor returns the value of the label actor.
func (b *builder) actor(name string) string {
	kind, of, _ := strings.Cut(name, "/")
	switch {
	case kind == "server" && of != "":
		return "server/" + b.server(of).Value
	default:
		return cmp.Or(kind, name)
	}
}
