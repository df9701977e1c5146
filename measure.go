package toolscript

import "time"

// DurationBounds are the upper bounds of the buckets of Durations: those of the MCP
// conventions of OpenTelemetry, and finer ones below 10 ms.
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
	Counts [len(DurationBounds) + 1]uint64 // of each bucket alone; the last has no upper bound
	Sum    time.Duration
}

// Count is the number of durations.
func (d *Durations) Count() (n uint64) {
	for _, c := range d.Counts {
		n += c
	}
	return n
}

// Quantile estimates the duration below which the part q of all durations is, 0 to 1. It
// is exact to the bucket. Without durations it is 0.
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

// Measures are the counters of a gateway since its start, and its state now.
type Measures struct {
	Started time.Time
	Servers []ServerMeasures // sorted by name
	Actors  []ActorStatus    // sorted by name
	Tools   []ToolMeasures   // the tools that the configuration names, sorted by id

	AuditDropped uint64 // lines that the audit could not keep

	Unrouted  map[string]uint64 // calls of tools of no configured server, by outcome
	Approvals int               // calls that wait for a person
	Runs      RunMeasures

	// CacheHits are the runs that found their script in a cache: compiled or checked.
	CacheHits map[string]uint64
}

// OutcomeOK is the outcome of a call or run without an error. Any other outcome is a Kind.
const OutcomeOK = "ok"

// ServerMeasures are those of one server.
type ServerMeasures struct {
	ServerStatus
	Outcomes    map[string]uint64    // calls by outcome, also those that were not sent
	Durations   Durations            // of tools/call requests to the server
	Fetches     map[string]Durations // of requests for resources and prompts, by method of MCP; only those that were used
	AnswerBytes uint64               // bytes of the answers of tools

	// DroppedLines are the lines about the server that were left out of the log.
	DroppedLines uint64
}

// ToolMeasures are those of one tool.
type ToolMeasures struct {
	Server, Tool string            // name of the server, id of the tool
	Outcomes     map[string]uint64 // calls by outcome
}

// RunMeasures are those of scripts.
type RunMeasures struct {
	Live      int               // that have not ended
	Outcomes  map[string]uint64 // ended runs by outcome
	Durations Durations
}
