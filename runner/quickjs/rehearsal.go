package quickjs

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// rehearsal is a script that does a little of what most scripts do.
const rehearsal = `import { tools } from "toolscript";
const list = [1, 2, 3].map((n) => ({ n, text: "n" + n }));
const { items } = await tools.server.tool({ list, page: 1 });
await new Promise((resolve) => setTimeout(resolve, 1));
console.log("%s of", items.length, list);
export default { items, sorted: items.toSorted((a, b) => b - a), text: JSON.stringify(list) };`

// rehearse runs a script for the sake of the pages that it writes to, which a
// script after it is likely to need. They are no part of what is promised: where
// they are not known, each page is copied when it is needed.
func (e *Engine) rehearse(ctx context.Context) ([]span, error) {
	vm, err := e.NewVM(ctx)
	if err != nil {
		return nil, err
	}
	defer vm.Close() //nolint:errcheck // frees memory, which does not fail
	job := runner.Job{
		RunID: "rehearsal", File: "rehearsal.js", TZ: "UTC", Compiled: runner.Compiled{JavaScript: rehearsal},
		Limits: toolscript.Limits{TimeoutMs: 10_000},
		Names: &runner.Names{Key: "rehearsal", Servers: []runner.ServerNames{
			{Ident: "server", Server: "server", Tools: []runner.ToolNames{{Ident: "tool", ID: "server__tool"}}},
		}},
	}
	if out := vm.Run(ctx, job, rehearsed{make(chan Answer, 1)}); out.Err != nil {
		return nil, errors.New("rehearse a script: " + out.Err.Message)
	}
	return vm.memory.written(), nil
}

// rehearsed is the host of a rehearsal: its only tool answers with a short list.
type rehearsed struct{ answers chan Answer }

func (h rehearsed) Call(c runner.Call) {
	h.answers <- Answer{CallID: c.CallID, Value: json.RawMessage(`{"items":[1,2,3]}`)}
}
func (h rehearsed) Cancel(string)               {}
func (h rehearsed) Write(runner.Stream, string) {}
func (h rehearsed) ReadStdin()                  {}
func (h rehearsed) Answers() <-chan Answer      { return h.answers }
