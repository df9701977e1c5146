package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript"
)

// The types of the lines. The chain has types for its own lines; see TypeFile.
const (
	TypeRun  = "run"  // a run has begun
	TypeEnd  = "end"  // a run and all its calls have ended
	TypeCall = "call" // a tool call or the reading of a resource has ended, or was refused
	TypeDrop = "drop" // lines were not written

	TypeTools = "tools" // the offers of servers have changed
	TypeShown = "shown" // a command or the MCP server has printed something for a model
)

// Data describes arguments and results by hash and size, never by their content.
type Data struct {
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	Count
}

// Count has the approximate tokens of a content; for an answer of a tool, of the part that a model
// reads. Lines written under heavy load have no tokens.
type Count struct {
	Tokens *int `json:"tokens,omitempty"`
}

// Line is one line of the audit. Only the fields of its type are set.
type Line struct {
	Type    string    `json:"type"`
	Time    time.Time `json:"time"`
	PID     int       `json:"pid"` // process of the gateway
	Session string    `json:"session,omitempty"`
	Client  string    `json:"client,omitempty"` // name of the requesting client, as it states it

	Run     string `json:"run,omitempty"`
	Call    string `json:"call,omitempty"`    // id within the run
	Request string `json:"request,omitempty"` // id of the HTTP request

	// Members of TypeRun.
	File   string `json:"file,omitempty"`
	Script *Data  `json:"script,omitempty"`

	// Modules are the files that came with the script, by their paths.
	Modules map[string]*Data `json:"modules,omitempty"`

	Engine    string   `json:"engine,omitempty"`
	Check     string   `json:"check,omitempty"`
	CheckOnly bool     `json:"checkOnly,omitempty"`
	Plan      bool     `json:"plan,omitempty"`
	Record    bool     `json:"record,omitempty"`
	Allow     []string `json:"allow,omitzero"` // absent: all tools
	Profile   string   `json:"profile,omitempty"`

	// Members of TypeCall.
	Tool     string `json:"tool,omitempty"`
	Args     *Data  `json:"args,omitempty"`
	Result   *Data  `json:"result,omitempty"`
	Approval string `json:"approval,omitempty"` // as in toolscript.Call
	Key      string `json:"key,omitempty"`      // idempotency key: only one of the calls with it was carried out

	Sent toolscript.Sent `json:"sent,omitempty"` // whether the server got a failed call

	// Members of TypeCall and TypeEnd.
	Outcome string  `json:"outcome,omitempty"` // ok, or a toolscript.Kind
	Ms      float64 `json:"ms,omitempty"`
	Error   string  `json:"error,omitempty"` // without secrets, cut if it is long
	Host    string  `json:"host,omitempty"`  // machine of the fleet that carried out the call or ran the script

	toolscript.Waits // waits of a call

	// Members of TypeEnd.
	Calls    int   `json:"calls,omitempty"`
	ExitCode *int  `json:"exitCode,omitempty"`
	Value    *Data `json:"value,omitempty"` // absent: the script returned undefined, or failed

	Unfinished []toolscript.UnfinishedCall `json:"unfinished,omitempty"` // as in toolscript.End

	// Member of TypeTools: the offers by server. A server with no tools is gone.
	Offers map[string]Offer `json:"offers,omitempty"`

	// Members of TypeShown.
	Command string `json:"command,omitempty"` // the command, or the tool of the MCP server
	Shown   *Shown `json:"shown,omitempty"`

	// Members of TypeDrop.
	Count int64  `json:"count,omitempty"`
	Why   string `json:"why,omitempty"`
}

// Shown is the size of a text that was printed for a model.
type Shown struct {
	Bytes int `json:"bytes"`
	Count
}

// entry is a waiting line. A call has no Line, to save memory: there are many calls.
type entry struct {
	line    *Line                     // nil for a call
	script  string                    // data for line
	modules []toolscript.ScriptModule // data for line
	value   []byte                    // data for line
	call    callEntry
}

// callEntry is a call, with the data that is hashed when its line is written.
type callEntry struct {
	at                                                                                   time.Time
	client, session, run, id, request, tool, approval, key, outcome, sent, failure, host string
	args, result                                                                         json.RawMessage
	argsData, resultData                                                                 *Data // instead of args and result
	took                                                                                 time.Duration
	waits                                                                                toolscript.Waits
}

func (e *entry) size() int64 {
	n := len(e.script) + len(e.value) + len(e.call.args) + len(e.call.result)
	for _, m := range e.modules {
		n += len(m.Code)
	}
	return int64(n)
}

// hash replaces the data by hashes. If c is nil, tokens are not counted.
func (e *entry) hash(c *counter) {
	if e.line != nil {
		if e.line.Type == TypeRun && e.line.Script == nil {
			e.line.Script = dataOf([]byte(e.script), c)
			e.line.Modules = modulesOf(e.modules, c)
		}
		if e.value != nil {
			e.line.Value = dataOf(e.value, c)
		}
		e.script, e.modules, e.value = "", nil, nil
		return
	}
	call := &e.call
	if call.argsData != nil {
		return
	}
	call.argsData = dataOf(call.arguments(), nil)
	if call.result != nil {
		call.resultData = dataOf(call.result, nil)
	}
	call.args, call.result = nil, nil
}

func (c *callEntry) arguments() []byte {
	if len(c.args) == 0 {
		return []byte("{}")
	}
	return c.args
}

func dataOf(content []byte, c *counter) *Data {
	sum := sha256.Sum256(content)
	d := &Data{SHA256: hex.EncodeToString(sum[:]), Bytes: len(content)}
	if c != nil {
		d.Count = c.count(content)
	}
	return d
}

// Run adds the line of a run that has begun.
func (l *Log) Run(record toolscript.RunRecord, request *toolscript.ExecRequest) {
	l.add(entry{line: &Line{
		Type: TypeRun, Time: record.StartedAt, Client: request.Client, Session: request.Session, Run: record.RunID, File: record.File, Engine: record.Engine,
		Check: record.Check, CheckOnly: record.CheckOnly, Plan: request.Plan, Record: request.Record, Allow: record.Allow, Profile: record.Profile,
	}, script: request.Code, modules: request.Modules})
}

func modulesOf(modules []toolscript.ScriptModule, c *counter) map[string]*Data {
	var all map[string]*Data
	for _, m := range modules {
		if m.Problem != "" { // such a module has no text
			continue
		}
		if all == nil {
			all = map[string]*Data{}
		}
		all[m.Path] = dataOf([]byte(m.Code), c)
	}
	return all
}

// End adds the line of the end of a run.
func (l *Log) End(record toolscript.RunRecord) {
	line := Line{Type: TypeEnd, Run: record.RunID, Outcome: toolscript.OutcomeOK, ExitCode: record.ExitCode, Calls: len(record.Calls), Unfinished: record.Unfinished}
	if record.EndedAt != nil {
		line.Time = *record.EndedAt
		line.Ms = milliseconds(record.EndedAt.Sub(record.StartedAt))
	}
	if record.Kind != "" {
		line.Outcome = string(record.Kind)
	}
	if record.Metrics != nil {
		line.Host = record.Metrics.Host
	}
	l.add(entry{line: &line, value: record.Value})
}

// Ended describes a call that has ended.
type Ended struct {
	toolscript.Call
	Tool    string // id of the tool; "" if the id is unknown
	Took    time.Duration
	Result  json.RawMessage
	Outcome string
	Sent    toolscript.Sent
	Error   string // without secrets
}

// Call adds the line of a call. The bytes of its arguments and its result must not change
// afterwards.
func (l *Log) Call(c Ended) {
	if l == nil {
		return
	}
	waits := c.Origin.Waits()
	waits.QueuedMs = milliseconds(c.Queued)
	l.add(entry{call: callEntry{
		waits: waits, at: time.Now(), client: c.Client, run: c.Run, id: c.CallID, request: c.RequestID, tool: c.Tool, approval: c.Approval, key: c.Key,
		outcome: c.Outcome, sent: string(c.Sent), failure: c.Error, host: c.Origin.Host(), args: c.Args, result: c.Result, took: c.Took,
	}})
}

// Tools adds the line of servers whose offer has changed.
func (l *Log) Tools(at time.Time, offers map[string]Offer) {
	l.add(entry{line: &Line{Type: TypeTools, Time: at, Offers: offers}})
}

// Shown adds a line about what a model was shown.
func (l *Log) Shown(line Line) {
	line.Type = TypeShown
	l.add(entry{line: &line})
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
