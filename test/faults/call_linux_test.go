package faults_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/toolscript/toolscript/test/fleet/history"
)

// script calls a tool once for each id in its arguments, in parallel if the first argument says so,
// and prints the outcomes.
const script = `
import { args, tools, ToolError } from "toolscript";
const [how, server, ms, ...ids] = args;
async function call(id: string) {
  try {
    const text = await tools[server].count({ text: id, ms: Number(ms) });
    console.log(JSON.stringify({ id, text }));
  } catch (e) {
    const failed = e as ToolError;
    console.log(JSON.stringify({ id, kind: failed.code ?? "none", sent: failed.sent, error: failed.message }));
  }
}
if (how === "parallel") await Promise.all(ids.map(call));
else for (const id of ids) await call(id);
`

const (
	runLimit = 20 * time.Second
	// hung is the time after which a run counts as hanging. The time limit of a run does not include the
	// wait for servers to start.
	hung = 2 * time.Minute
	// middle is part of the error of a run whose sandbox was killed after the run had begun.
	middle = "in the middle of the script"
)

// run runs one script, or makes one call without a script, through a random gateway.
func (w *world) run() {
	g := w.slots[rand.IntN(len(w.slots))].now.Load()
	server := servers[rand.IntN(len(servers))]
	ms := rand.IntN(20)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.Context()), hung)
	defer cancel()
	first := w.batch.Add(1)
	call := func(id string) history.Call {
		return history.Call{ID: id, Server: server, Begin: time.Now().UnixNano()}
	}
	if rand.IntN(5) == 0 {
		w.record([]history.Call{w.request(ctx, g, call(fmt.Sprint(first)), ms)})
		return
	}
	var calls []history.Call
	for i := range 1 + rand.IntN(6) {
		calls = append(calls, call(fmt.Sprintf("%d-%d", first, i)))
	}
	w.record(w.script(ctx, g, []string{"parallel", "one-by-one"}[rand.IntN(2)], ms, calls))
}

func (w *world) record(calls []history.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, calls...)
}

// said is what a caller was told about a call.
type said struct{ ID, Text, Kind, Sent, Error string }

// end completes the record of a call.
func (w *world) end(c history.Call, s said) history.Call {
	c.End, c.Error = time.Now().UnixNano(), s.Kind+": "+s.Error
	if s.Kind != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.kinds[s.Kind]++
	}
	switch {
	case s.Kind == "" && s.Text != "":
		c.Outcome = history.Answered
		c.Answer, c.Process, _ = strings.Cut(s.Text, " ")
	case s.Kind == "":
		c.Outcome = history.Lost
	case s.Error == "" || s.Kind == "internal":
		c.Outcome = history.Untold
	case s.Sent == "" && (s.Kind == "cancelled" || s.Kind == "limit_time"): // the error of the run, for each of its calls
		c.Outcome = history.Unknown
	case s.Sent == "" || s.Sent == "no":
		c.Outcome = history.Refused
	case s.Sent == "yes":
		c.Outcome = history.Failed
	default:
		c.Outcome = history.Unknown
	}
	return c
}

// request makes a call over HTTP.
func (w *world) request(ctx context.Context, g *gateway, c history.Call, ms int) history.Call {
	var answer struct {
		Content           []struct{ Text string }
		Error, Kind, Sent string
	}
	status, err := g.Post(ctx, "/tools/"+c.Server+"__count", map[string]any{"text": c.ID, "ms": ms}, &answer)
	switch {
	case err != nil:
		return w.cut(ctx, g, c, err)
	case status == http.StatusOK && len(answer.Content) == 1:
		return w.end(c, said{Text: answer.Content[0].Text})
	}
	return w.end(c, said{Kind: cmp.Or(answer.Kind, "none"), Sent: answer.Sent, Error: answer.Error})
}

// cut returns the record of a call whose gateway has ended.
func (w *world) cut(ctx context.Context, g *gateway, c history.Call, err error) history.Call {
	c.End, c.Error, c.Outcome = time.Now().UnixNano(), err.Error(), history.Cut
	if ctx.Err() != nil {
		c.Outcome = history.Lost
	} else if !g.killed.Load() {
		w.Errorf("a gateway that was not killed did not complete its answer: %v", err)
	}
	return c
}

// script runs the script and returns the records of its calls.
func (w *world) script(ctx context.Context, g *gateway, how string, ms int, calls []history.Call) (all []history.Call) {
	args := []string{how, calls[0].Server, fmt.Sprint(ms)}
	for _, c := range calls {
		args = append(args, c.ID)
	}
	events, err := g.Exec(ctx, map[string]any{"code": script, "args": args, "limits": map[string]any{"timeoutMs": runLimit.Milliseconds()}})
	known, end := w.read(events)
	message, kind := failure(end)
	if end == nil && err == nil {
		err = fmt.Errorf("the stream ended after %d events", len(events))
	}
	for _, c := range calls {
		s, printed := known[c.ID]
		switch {
		case printed:
			c = w.end(c, s)
		case end == nil:
			c = w.cut(ctx, g, c, err)
		case end["ok"] == true:
			c = w.end(c, said{}) // the script has not printed its outcome
		default:
			if c = w.end(c, said{Kind: kind, Error: message}); strings.Contains(message, middle) {
				c.Outcome = history.Cut
			}
		}
		all = append(all, c)
	}
	switch {
	case end == nil:
		w.cutByGateway.Add(1)
	case end["ok"] == true:
		w.ended.Add(1)
	default:
		w.failed(message, kind)
	}
	return all
}

// failed records a failed run.
func (w *world) failed(message, kind string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.Contains(message, middle) {
		w.cutBySandbox++
	} else {
		w.failures[kind+": "+message]++
	}
}

// read returns what the script has printed about its calls, and the last event of its run.
func (w *world) read(events []map[string]any) (known map[string]said, end map[string]any) {
	known = map[string]said{}
	var printed strings.Builder
	for _, e := range events {
		switch e["type"] {
		case "stdout":
			data, _ := e["data"].(string)
			printed.WriteString(data)
		case "end":
			end = e
		}
	}
	for line := range strings.Lines(printed.String()) {
		var o said
		if !strings.HasSuffix(line, "\n") {
			continue // the script was cut off here
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			w.Errorf("a script has printed %q: %v", line, err)
			continue
		}
		if _, twice := known[o.ID]; twice {
			w.Errorf("a script has two outcomes of call %s", o.ID)
		}
		known[o.ID] = o
	}
	return known, end
}

// failure returns the error of a run.
func failure(end map[string]any) (message, kind string) {
	kind, _ = end["kind"].(string)
	if e, is := end["error"].(map[string]any); is {
		message, _ = e["message"].(string)
	} else {
		message = fmt.Sprint(end["error"])
	}
	return message, kind
}
