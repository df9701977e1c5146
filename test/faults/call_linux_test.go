package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
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
	server := []string{"own", "common", "other"}[rand.IntN(3)]
	ms := rand.IntN(20)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.Context()), hung)
	defer cancel()
	first := w.batch.Add(1)
	if rand.IntN(5) == 0 {
		w.record([]outcome{w.request(ctx, g, server, fmt.Sprint(first), ms)})
		return
	}
	var ids []string
	for i := range 1 + rand.IntN(6) {
		ids = append(ids, fmt.Sprintf("%d-%d", first, i))
	}
	how := []string{"parallel", "one-by-one"}[rand.IntN(2)]
	w.record(w.script(ctx, g, append([]string{how, server, fmt.Sprint(ms)}, ids...), ids))
}

func (w *world) record(outcomes []outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outcomes = append(w.outcomes, outcomes...)
}

// request makes a call over HTTP.
func (w *world) request(ctx context.Context, g *gateway, server, id string, ms int) outcome {
	var answer struct {
		Content           []struct{ Text string }
		Error, Kind, Sent string
	}
	status, err := g.Post(ctx, "/tools/"+server+"__count", map[string]any{"text": id, "ms": ms}, &answer)
	switch {
	case err != nil:
		return w.cut(ctx, g, id, err)
	case status == http.StatusOK && len(answer.Content) == 1:
		return outcome{id: id, text: answer.Content[0].Text}
	}
	return outcome{id: id, kind: answer.Kind, sent: answer.Sent, err: answer.Error}
}

// cut returns the outcome of a call whose gateway has ended.
func (w *world) cut(ctx context.Context, g *gateway, id string, err error) outcome {
	if ctx.Err() != nil {
		return outcome{id: id}
	}
	if !g.killed.Load() {
		w.Errorf("a gateway that was not killed did not complete its answer: %v", err)
	}
	return outcome{id: id, kind: "gateway killed", err: err.Error(), cut: true}
}

// script runs the script and returns the outcomes that it has printed.
func (w *world) script(ctx context.Context, g *gateway, args, ids []string) []outcome {
	events, err := g.Exec(ctx, map[string]any{"code": script, "args": args, "limits": map[string]any{"timeoutMs": runLimit.Milliseconds()}})
	known, end := w.read(events)
	var all []outcome
	for _, id := range ids {
		o, printed := known[id]
		switch {
		case printed:
		case end == nil:
			if err == nil {
				err = fmt.Errorf("the stream ended after %d events", len(events))
			}
			o = w.cut(ctx, g, id, err)
		case end["ok"] == true:
			o = outcome{id: id, silent: true}
		default:
			message, kind := failure(end)
			o = outcome{id: id, kind: kind, err: message, cut: strings.Contains(message, middle)}
		}
		all = append(all, o)
	}
	switch {
	case end == nil:
		w.cutByGateway.Add(1)
	case end["ok"] == true:
		w.ended.Add(1)
	default:
		w.failed(failure(end))
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

// read returns the outcomes that the script has printed, and the last event of its run.
func (w *world) read(events []map[string]any) (known map[string]outcome, end map[string]any) {
	known = map[string]outcome{}
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
		var o struct{ ID, Text, Kind, Sent, Error string }
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
		known[o.ID] = outcome{id: o.ID, text: o.Text, kind: o.Kind, sent: o.Sent, err: o.Error}
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
