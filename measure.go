package toolscript

import "time"

// DurationBounds are the upper bounds of the buckets of Durations: those of
// OpenTelemetry's conventions for MCP, and finer ones below 10 ms.
var DurationBounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute,
}

// Durations is a histogram of durations.
type Durations struct {
	Counts [len(DurationBounds) + 1]uint64 // one count per bucket, not cumulative; the last bucket has no upper bound
	Sum    time.Duration
}

// Count returns the number of durations.
func (d *Durations) Count() (n uint64) {
	for _, c := range d.Counts {
		n += c
	}
	return n
}

// Quantile estimates the q-quantile of the durations, for q from 0 to 1, with the
// precision of the buckets. Without durations it returns 0.
func (d *Durations) Quantile(q float64) time.Duration {
	rank := q * float64(d.Count())
	if rank == 0 {
		return 0
	}
	low := time.Duration(0)
	for i, n := range d.Counts {
		if i == len(DurationBounds) {
			break
		}
		if n > 0 && rank <= float64(n) {
			return low + time.Duration(rank/float64(n)*float64(DurationBounds[i]-low))
		}
		rank -= float64(n)
		low = DurationBounds[i]
	}
	return low
}

// Measures holds the counters of a gateway since its start, and its current state.
type Measures struct {
	Started time.Time
	Servers []ServerMeasures // sorted by name
	Actors  []ActorStatus    // sorted by name
	Tools   []ToolMeasures   // tools named in the configuration, sorted by id

	AuditDropped uint64 // audit lines that were lost

	Unrouted  map[string]uint64 // calls of tools that belong to no configured server, by outcome
	Approvals int               // calls that wait for the approval of a person
	Runs      RunMeasures

	// CacheHits counts the runs whose script was found in a cache, by cache: compiled or checked.
	CacheHits map[string]uint64
}

// OutcomeOK is the outcome of a call or run without an error. All other outcomes are Kinds.
const OutcomeOK = "ok"

// ServerMeasures holds the counters of one server.
type ServerMeasures struct {
	ServerStatus
	Outcomes    map[string]uint64    // calls by outcome, including calls that were not sent
	Durations   Durations            // durations of tools/call requests to the server
	Fetches     map[string]Durations // durations of requests for resources and prompts, by MCP method; unused methods are absent
	AnswerBytes uint64               // size of the tools' answers

	// DroppedLines counts the lines about the server that were left out of the log.
	DroppedLines uint64
}

// ToolMeasures holds the counters of one tool.
type ToolMeasures struct {
	Server, Tool string            // name of the server and id of the tool
	Outcomes     map[string]uint64 // calls by outcome
}

// RunMeasures holds the counters of script runs.
type RunMeasures struct {
	Live      int               // runs that have not ended
	Outcomes  map[string]uint64 // ended runs by outcome
	Durations Durations
}
