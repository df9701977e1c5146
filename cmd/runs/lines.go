package runs

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/cmd/mcp"
	"github.com/toolscript/toolscript/internal/naming"
)

// calledDirectly begins the client name of runs whose script was not written by a model.
// Only the arguments were.
const calledDirectly = "toolscript call "

// facts is the content of an audit that the report needs.
type facts struct {
	query    UsageQuery
	runs     map[string]*usageRun
	sessions map[string]*session
	calls    map[string]*Traffic          // traffic by tool
	offers   map[int]map[string][]offered // by process and server, in order of time
	other    int
	guessed  int
	cut      int
}

// usageRun is one run.
type usageRun struct {
	session  *session
	selected bool
	direct   bool           // made by toolscript call
	results  map[string]int // tokens of the results by tool
	shown    *int           // tokens of the printed output; nil: unknown
	ended    *audit.Data    // value of the script
}

// session is a set of runs and calls that share the context of a model.
type session struct {
	gateways map[int]bool
	last     time.Time
	scripts  map[string]bool // hashes of the scripts that are already counted
	plain    UsageCost
	own      UsageCost
}

// offered is the offer of a server from a time on.
type offered struct {
	audit.Offer
	at time.Time
}

// read reads the lines of an audit.
func read(dir string, q UsageQuery) (*facts, error) {
	f := &facts{
		query: q, runs: map[string]*usageRun{}, sessions: map[string]*session{},
		calls: map[string]*Traffic{}, offers: map[int]map[string][]offered{},
	}
	var printed []audit.Line // a command may write its line before the gateway writes the run
	err := audit.ChainLines(dir, func(l audit.ChainLine) {
		var line audit.Line
		if json.Unmarshal(l.Text, &line) != nil { // another version has written it
			return
		}
		switch line.Type {
		case audit.TypeTools:
			f.tools(line)
		case audit.TypeRun:
			f.run(line)
		case audit.TypeCall:
			f.call(line)
		case audit.TypeEnd:
			f.end(line)
		case audit.TypeShown:
			printed = append(printed, line)
		}
	})
	for _, line := range printed {
		f.shown(line)
	}
	f.share()
	return f, err
}

// session returns the session of a line. Lines without a session id share one session per day.
func (f *facts) session(line audit.Line) *session {
	id := line.Session
	if id == "" {
		id = "day " + line.Time.UTC().Format(time.DateOnly)
	}
	s := f.sessions[id]
	if s == nil {
		s = &session{gateways: map[int]bool{}, scripts: map[string]bool{}}
		f.sessions[id] = s
	}
	if line.Time.After(s.last) {
		s.last = line.Time
	}
	return s
}

// within reports whether a line is in the period.
func (f *facts) within(line audit.Line) bool {
	return !line.Time.Before(f.query.Since) && !line.Time.After(f.query.Now)
}

// tokens returns the tokens of a content, estimated from its size if they were not counted.
func (f *facts) tokens(c audit.Count, size int) int {
	if c.Tokens != nil {
		return max(*c.Tokens, 0)
	}
	f.guessed++
	return max(size, 0) / bytesPerToken
}

func (f *facts) tools(line audit.Line) {
	of := f.offers[line.PID]
	if of == nil {
		of = map[string][]offered{}
		f.offers[line.PID] = of
	}
	for server, offer := range line.Offers {
		of[server] = append(of[server], offered{offer, line.Time})
	}
}

func (f *facts) run(line audit.Line) {
	r := &usageRun{direct: strings.HasPrefix(line.Client, calledDirectly), results: map[string]int{}}
	f.runs[line.Run] = r
	r.selected = f.within(line) && (f.query.Runs == nil || slices.Contains(f.query.Runs, line.Run))
	if !r.selected {
		return
	}
	r.session = f.session(line)
	r.session.gateways[line.PID] = true
	if line.Script != nil && !r.direct && !r.session.scripts[line.Script.SHA256] {
		r.session.scripts[line.Script.SHA256] = true
		n := f.tokens(line.Script.Count, line.Script.Bytes)
		r.session.own.Written += n
	}
}

func (f *facts) end(line audit.Line) {
	r := f.runs[line.Run]
	if r == nil || !r.selected {
		return
	}
	f.sessionOf(r, line)
	if line.Value != nil {
		r.ended = line.Value
	}
}

// ofScripts reports whether a client without scripts cannot make the call: calls to the store
// and the search of scripts, and to saved scripts, whose own calls are in the audit too.
func ofScripts(tool string) bool {
	return naming.IsFunction(tool) || strings.HasPrefix(tool, toolscript.ScriptsServer+toolscript.Separator)
}

func (f *facts) call(line audit.Line) {
	if line.Tool == "" || !f.within(line) || line.Args == nil || ofScripts(line.Tool) {
		return
	}
	r := f.runs[line.Run]
	if f.query.Runs != nil && (r == nil || !r.selected) {
		return
	}
	s := f.sessionOf(r, line)
	t := f.calls[line.Tool]
	if t == nil {
		t = &Traffic{}
		f.calls[line.Tool] = t
	}
	args := f.tokens(line.Args.Count, line.Args.Bytes)
	result := 0
	if line.Result != nil {
		result = f.tokens(line.Result.Count, line.Result.Bytes)
	}
	t.Calls++
	t.Arguments += args
	t.Results += result
	if t.LastUsed == nil || line.Time.After(*t.LastUsed) {
		t.LastUsed = &line.Time
	}
	if result > MostShown {
		f.cut++
	}
	s.plain.Written += args
	s.plain.Read += min(result, MostShown)
	if r == nil { // a request for one call: its answer went to the client
		s.own.Written += args
		s.own.Read += result
		t.Reached += result
		return
	}
	r.results[line.Tool] += result
	if r.direct {
		s.own.Written += args
	}
}

// sessionOf returns the session of a call.
func (f *facts) sessionOf(r *usageRun, line audit.Line) *session {
	if r != nil && r.session != nil {
		if line.Time.After(r.session.last) {
			r.session.last = line.Time
		}
		return r.session
	}
	s := f.session(line)
	s.gateways[line.PID] = true
	return s
}

func (f *facts) shown(line audit.Line) {
	r := f.runs[line.Run]
	if line.Shown == nil || !f.within(line) || f.query.Runs != nil && (r == nil || !r.selected) {
		return
	}
	n := f.tokens(line.Shown.Count, line.Shown.Bytes)
	s := f.session(line)
	s.gateways[line.PID] = true // a command without a gateway acts as one
	if line.Command == mcp.Definitions {
		s.own.Definitions += n
		f.other += n
		return
	}
	s.own.Read += n
	if r == nil || !r.selected {
		f.other += n
		return
	}
	if r.shown == nil {
		r.shown = new(int)
	}
	*r.shown += n
}

// share divides the output of each run, or its value if that is unknown, among its tools.
func (f *facts) share() {
	for _, r := range f.runs {
		if !r.selected {
			continue
		}
		reached := 0
		switch {
		case r.shown != nil:
			reached = *r.shown
		case r.ended != nil:
			reached = f.tokens(r.ended.Count, r.ended.Bytes)
			r.session.own.Read += reached
		}
		sum := 0
		for _, n := range r.results {
			sum += n
		}
		if sum == 0 {
			f.other += reached
			continue
		}
		rest := reached
		for tool, n := range r.results {
			part := reached * n / sum
			f.calls[tool].Reached += part
			rest -= part
		}
		f.other += rest // remainder of the division
	}
}

// ownerOf returns the server of a tool: the known server whose name is its longest prefix,
// else the part before the first separator.
func ownerOf(tool string, servers []string) string {
	owner := ""
	for _, name := range servers {
		if strings.HasPrefix(tool, name+toolscript.Separator) && len(name) > len(owner) {
			owner = name
		}
	}
	if owner == "" {
		owner, _, _ = strings.Cut(tool, toolscript.Separator)
	}
	return owner
}
