package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
)

// view is one of the screens between which the person can switch.
type view struct {
	name     string
	sections func(m *model) []section
}

// views are in the order of their numbers.
var views = []view{
	{"Overview", overview},
	{"Servers", func(m *model) []section { return []section{servers(m)} }},
	{"Runs", func(m *model) []section { return []section{runs(m, false)} }},
	{"Approvals", func(m *model) []section { return []section{waiting(m)} }},
	{"Calls", func(m *model) []section { return []section{calls(m)} }},
	{"Actors", func(m *model) []section { return []section{actorTree(m)} }},
	{"Caches", caches},
	{"Log", func(m *model) []section { return []section{logs(m)} }},
	{"MCP", func(m *model) []section { return []section{sessions(m)} }},
}

// overview shows what needs attention, then the servers and the runs in progress.
func overview(m *model) []section { return []section{attention(m), servers(m), runs(m, true)} }

func attention(m *model) section {
	s := section{title: "Needs attention", columns: []column{{name: "Level", state: true}, {name: "Problem", flex: true}}, empty: "Nothing. Everything that is configured works."}
	for _, a := range m.state.Attention {
		r := row{id: "attention/" + a.ID, cells: []string{string(a.Severity), a.Subject + ": " + a.Problem}, below: []string{"→ " + a.Command}, detail: []string{a.Subject + ": " + a.Problem, "→ " + a.Command}}
		switch a.Action {
		case toolscript.ActionRestart, toolscript.ActionLogin:
			r.about = subject{kind: aServer, id: a.Target}
		case toolscript.ActionAnswer:
			r.about = subject{kind: aRequest, id: a.Target, name: strings.TrimPrefix(a.Subject, "call of ")}
		case toolscript.ActionReload, toolscript.ActionCommand:
		}
		s.rows = append(s.rows, r)
	}
	return s
}

func servers(m *model) section {
	s := section{title: "Servers", empty: "No server is configured.", columns: []column{
		{name: "Server", flex: true}, {name: "State", state: true}, {name: "Type", drop: 5}, {name: "Tools", right: true, drop: 4},
		{name: "Calls", right: true}, {name: "Now", right: true, drop: 3}, {name: "Errors", right: true, drop: 1},
		{name: "p50", right: true, drop: 2}, {name: "p95", right: true, drop: 2},
	}}
	for _, e := range m.state.Servers {
		p50, p95 := "–", "–"
		if e.Calls > 0 {
			p50, p95 = milliseconds(e.P50Ms), milliseconds(e.P95Ms)
		}
		now := number(int64(e.InFlight))
		if e.Queued > 0 {
			now += "+" + number(int64(e.Queued))
		}
		s.rows = append(s.rows, row{
			id: "server/" + e.ID, about: subject{kind: aServer, id: e.ID}, detail: serverDetail(e, m.now),
			cells: []string{e.ID, serverState(e, m.now), e.Type, number(int64(e.Tools)), number(int64(e.Calls)), now, number(int64(e.Errors)), p50, p95},
		})
	}
	return s
}

// serverState returns the state of a server and, if it is not connected, the time of the next attempt.
func serverState(e toolscript.ServerEntry, now time.Time) string {
	switch {
	case e.Disabled:
		return "disabled"
	case e.State == toolscript.NeedsAuth:
		return "needs login"
	case e.State == toolscript.Backoff && e.NextRetry != nil && e.NextRetry.After(now):
		return "backoff " + whole(e.NextRetry.Sub(now)+time.Second)
	default:
		return string(e.State)
	}
}

func serverDetail(e toolscript.ServerEntry, now time.Time) []string {
	lines := []string{fmt.Sprintf("%s, %s for %s, %s", cmp.Or(e.Title, e.ID), serverState(e, now), whole(now.Sub(e.Since)), count(e.Restarts, "restart"))}
	if e.State == toolscript.Backoff {
		lines[0] += fmt.Sprintf(", try %d follows", e.Attempt+1)
	}
	if e.Error != "" {
		lines = append(lines, "Error: "+e.Error)
	}
	if e.State == toolscript.NeedsAuth {
		lines = append(lines, "→ "+toolscript.Command("auth", e.ID))
	} else if !e.State.Serves() && !e.Disabled {
		lines = append(lines, "→ r, or: "+toolscript.Command("servers", "restart", e.ID))
	}
	for _, text := range e.Stderr {
		lines = append(lines, "stderr: "+text)
	}
	return lines
}

// runs returns all runs, or only those in progress.
func runs(m *model, going bool) section {
	s := section{title: "Runs", empty: "No script has run.", columns: []column{
		{name: "Run"}, {name: "File", flex: true, drop: 5}, {name: "State", state: true}, {name: "Time", right: true}, {name: "Calls", right: true},
		{name: "Output", right: true, drop: 3}, {name: "Memory", right: true, drop: 4}, {name: "Started", drop: 6},
	}}
	if going {
		s.title, s.empty = "Runs that go on", "No script runs."
	}
	for _, ended := range []bool{false, true} {
		for _, r := range m.state.Runs {
			if (r.EndedAt != nil) == ended && (!going || !ended) {
				s.rows = append(s.rows, runRow(r, m.now))
			}
		}
	}
	return s
}

func runRow(r toolscript.RunEntry, now time.Time) row {
	took, used, out := now.Sub(r.StartedAt), r.Used.ToolCalls, r.Used.OutputBytes
	state, memory := r.State, "≤"+of(r.Limits.MemoryMB, 0, number)+" MB"
	if r.EndedAt != nil {
		took, state = r.EndedAt.Sub(r.StartedAt), "ended"
		if r.OK != nil && *r.OK {
			state = "ok"
		} else if r.Kind != "" {
			state = "failed, " + string(r.Kind)
		}
	}
	if r.Metrics != nil {
		used, out = int64(r.Metrics.ToolCalls), r.Metrics.StdoutBytes+r.Metrics.StderrBytes
		memory = fmt.Sprintf("%.0f/%d MB", r.Metrics.MemoryMB, r.Limits.MemoryMB)
	} else if r.Limits.MemoryMB == 0 {
		memory = "–"
	}
	detail := []string{fmt.Sprintf("%s, %s on %s, started %s, %d calls in flight", r.RunID, cmp.Or(r.File, "script.ts"), r.Engine, clock(r.StartedAt), r.Used.InFlight)}
	if r.Error != nil {
		detail = append(detail, r.Error.Name+": "+r.Error.Message)
	}
	if r.EndedAt == nil {
		detail = append(detail, "→ a aborts it")
	} else {
		detail = append(detail, "→ "+toolscript.Command("runs", "show", r.RunID))
	}
	about := subject{}
	if r.EndedAt == nil {
		about = subject{kind: aRun, id: r.RunID}
	}
	return row{id: "run/" + r.ID, about: about, detail: detail, cells: []string{
		r.RunID, r.File, state, of(took.Truncate(time.Millisecond), time.Duration(r.Limits.TimeoutMs)*time.Millisecond, limited), of(used, r.Limits.ToolCalls, number),
		of(out, r.Limits.OutputBytes, size), memory, clock(r.StartedAt),
	}}
}

// limited formats a duration for a column with the time used and its limit.
func limited(d time.Duration) string {
	if d >= time.Second {
		d = d.Truncate(time.Second)
	}
	return strings.ReplaceAll(duration(d), ".0 s", " s")
}

const whereCodes = "The gateway shows the code at its terminal or as a notification of the desktop; o asks for it."

func waiting(m *model) section {
	s := section{title: "Calls that wait for you", empty: "No call waits for you.", columns: []column{
		{name: "Tool", flex: true}, {name: "Left", right: true}, {name: "Run", drop: 2}, {name: "Request", drop: 1},
	}}
	for _, a := range m.state.Approvals {
		detail := []string{"Arguments: " + a.Args, whereCodes, "→ o allows it, d denies it, or: " + toolscript.Command("approvals", "allow", a.ID)}
		if a.Cut > 0 {
			detail = slices.Insert(detail, 1, fmt.Sprintf("%d bytes of the arguments are not shown; all of them: %s", a.Cut, toolscript.Command("approvals", "show", a.ID)))
		}
		if a.Changed != "" {
			detail = append([]string{"Changed: " + a.Changed}, detail...)
		}
		s.rows = append(s.rows, row{
			id: "approval/" + a.ID, about: subject{kind: aRequest, id: a.ID, name: a.Tool}, detail: detail,
			cells: []string{a.Tool, whole(a.Expires.Sub(m.now)), cmp.Or(a.Run, "–"), a.ID},
		})
	}
	return s
}

func calls(m *model) section {
	s := section{title: "Calls", empty: "No tool was called since this view was opened.", columns: []column{
		{name: "Tool", flex: true}, {name: "State", state: true}, {name: "Time", right: true}, {name: "Sent", right: true, drop: 2},
		{name: "Received", right: true, drop: 2}, {name: "Run", drop: 3}, {name: "Began", drop: 4},
	}}
	for _, c := range m.state.Calls {
		took, state, received := whole(m.now.Sub(c.Since)), c.State, "–"
		if c.State == toolscript.CallEnded {
			took, state, received = milliseconds(c.Ms), cmp.Or(c.Outcome, "ended"), size(int64(c.ResultBytes))
			if c.Outcome != "ok" {
				state = "failed, " + state
			}
		}
		r := row{id: "call/" + c.ID, cells: []string{cmp.Or(c.Tool, "(no such tool)"), state, took, size(int64(c.ArgsBytes)), received, cmp.Or(c.Run, "–"), clock(c.Since)}}
		if c.Error != "" {
			r.detail = []string{"Error: " + c.Error}
		}
		s.rows = append(s.rows, r)
	}
	return s
}

// actorTree returns the actors as a tree: each actor is below its parent.
func actorTree(m *model) section {
	s := section{title: "Actors", empty: "No actor is known.", columns: []column{
		{name: "Actor", flex: true}, {name: "State", state: true}, {name: "Mailbox", right: true}, {name: "Messages", right: true, drop: 2},
		{name: "Calls", right: true, drop: 3}, {name: "Restarts", right: true}, {name: "For", right: true, drop: 4},
	}}
	known := func(name string) bool {
		return slices.ContainsFunc(m.state.Actors, func(a toolscript.ActorEntry) bool { return a.Name == name })
	}
	var add func(parent string, depth int)
	add = func(parent string, depth int) {
		for _, a := range m.state.Actors {
			above := a.Parent
			if above == a.Name || !known(above) {
				above = ""
			}
			if above != parent {
				continue
			}
			s.rows = append(s.rows, actorRow(a, depth, m.now))
			if depth < maxDepth {
				add(a.Name, depth+1)
			}
		}
	}
	add("", 0)
	return s
}

// sessions returns the sessions of MCP clients.
func sessions(m *model) section {
	s := section{title: "Sessions of MCP clients", empty: "No MCP client uses the gateway.", columns: []column{
		{name: "Client"}, {name: "Version", drop: 3}, {name: "Over", drop: 4}, {name: "Since", drop: 2}, {name: "Last request", drop: 5},
		{name: "Calls", right: true}, {name: "Waits for", flex: true, drop: 1},
	}}
	for _, e := range m.state.Sessions {
		last, calls := "–", "–"
		if e.Last != nil {
			last = clock(*e.Last)
		}
		if e.Calls != nil {
			calls = number(*e.Calls)
		}
		s.rows = append(s.rows, row{id: "session/" + e.ID, cells: []string{
			cmp.Or(e.Client, "–"), cmp.Or(e.Version, "–"), e.Transport, clock(e.Since), last, calls, cmp.Or(strings.Join(e.Waits, ", "), "–"),
		}})
	}
	return s
}

const maxDepth = 8 // of the tree of actors

func actorRow(a toolscript.ActorEntry, depth int, now time.Time) row {
	mailbox := number(int64(a.Waiting))
	if a.MailboxMs >= 1 {
		mailbox += ", " + milliseconds(a.MailboxMs)
	}
	r := row{id: "actor/" + a.ID, cells: []string{
		indent(depth) + a.Name, a.State, mailbox, number(int64(a.Messages)), number(int64(a.InFlight)), number(int64(a.Restarts)), whole(now.Sub(a.Since)),
	}}
	if a.LastError != "" {
		r.detail = append(r.detail, "Last error: "+a.LastError)
	}
	if a.LastStack != "" {
		r.detail = append(append(r.detail, "Stack of the last crash:"), strings.Split(a.LastStack, "\n")...)
	}
	return r
}

// indent shows the depth of an actor. It uses dots, because safe would remove leading spaces.
func indent(depth int) string {
	if depth == 0 {
		return ""
	}
	return strings.Repeat("·", depth) + " "
}

func caches(m *model) []section {
	index := section{title: "Search index", empty: "Not known yet.", columns: facts()}
	types := section{title: "Generated types", empty: "Not known yet.", columns: facts()}
	for _, e := range m.state.Index {
		if s := e.Search; s != nil {
			model := cmp.Or(s.Model, "none")
			if s.Model != "" && !s.ModelLoaded {
				model += ", not in memory"
			}
			index.rows = factRows("index", "State", s.State, "Tools", number(int64(s.ToolsIndexed)), "With vectors", number(int64(s.CachedEmbeddings)), "From the file", percent(s.CacheHitRate),
				"Queries", number(s.Queries), "Indexing took", milliseconds(float64(s.IndexingMs)), "Model", model, "Last error", s.LastError)
		}
		if t := e.Types; t != nil {
			hits := "no request"
			if n := t.Hits + t.Misses; n > 0 {
				hits = fmt.Sprintf("%s of %d", percent(float64(t.Hits)/float64(n)), n)
			}
			types.rows = factRows("types", "Modules", number(int64(t.Modules)), "Size", size(int64(t.Bytes)), "Hits", hits, "Generation", number(int64(t.Generation)))
		}
	}
	return []section{index, types}
}

func facts() []column { return []column{{name: "Fact"}, {name: "Value", flex: true}} }

// factRows returns rows of a name and a value, without those that have no value.
func factRows(prefix string, pairs ...string) (rows []row) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			rows = append(rows, row{id: prefix + "/" + pair[0], cells: pair})
		}
	}
	return rows
}

func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

var levels = []string{"DEBUG", "INFO", "WARN", "ERROR"}

// rank returns the index of a level in levels. slog also has levels between two names, such as INFO+2.
func rank(level string) int {
	return slices.IndexFunc(levels, func(l string) bool { return strings.HasPrefix(level, l) })
}

// logs returns the log lines of the selected level or above, the newest first.
func logs(m *model) section {
	s := section{title: "Log from level " + levels[m.level] + " (v changes it), the newest line first", empty: "No line was logged.", columns: []column{
		{name: "Time", drop: 1}, {name: "Level", state: true}, {name: "Message", flex: true},
	}}
	for _, l := range slices.Backward(m.state.Logs) {
		if rank(l.Level) < m.level {
			continue
		}
		text := l.Message
		for _, name := range sortedNames(l.Attrs) {
			text += " " + name + "=" + l.Attrs[name]
		}
		s.rows = append(s.rows, row{id: "log/" + l.ID, cells: []string{clock(l.Time), l.Level, text}, detail: []string{text}})
	}
	return s
}

func sortedNames(attrs map[string]string) []string {
	names := make([]string, 0, len(attrs))
	for name := range attrs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
