package quickjs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// rehearsal is a script with the operations that most scripts use.
const rehearsal = `import { tools } from "toolscript";
const list = [1, 2, 3].map((n) => ({ n, text: "n" + n }));
const { items } = await tools.server.tool({ list, page: 1 });
await new Promise((resolve) => setTimeout(resolve, 1));
console.log("%s of", items.length, list);
export default { items, sorted: items.toSorted((a, b) => b - a), text: JSON.stringify(list) };`

// rehearse runs a script to find the pages that scripts usually write to. This is an
// optimization: without it, each page is copied at the first write.
func (e *Engine) rehearse(ctx context.Context) ([]span, error) {
	vm, err := e.NewVM(ctx)
	if err != nil {
		return nil, err
	}
	defer vm.Close() //nolint:errcheck // frees memory, which does not fail
	job := runner.Job{
		RunID: "rehearsal", File: "rehearsal.js", TZ: "UTC", Compiled: runner.Compiled{JavaScript: rehearsal},
		Limits: toolscript.Limits{TimeoutMs: 10_000},
		Names: &naming.Names{Key: "rehearsal", Servers: []naming.Server{
			{Ident: "server", Name: "server", Tools: []naming.Tool{{Ident: "tool", ID: "server__tool"}}},
		}},
	}
	if out := vm.Run(ctx, job, &rehearsed{}); out.Err != nil {
		return nil, errors.New("rehearse a script: " + out.Err.Message)
	}
	return vm.memory.written(), nil
}

// rehearsed is the Host of a rehearsal. Its only tool returns a short list.
type rehearsed struct{ answer *Answer }

func (h *rehearsed) Call(c runner.Call) {
	h.answer = &Answer{CallID: c.CallID, Value: json.RawMessage(`{"items":[1,2,3]}`)}
}
func (h *rehearsed) Cancel(string)               {}
func (h *rehearsed) Write(runner.Stream, string) {}
func (h *rehearsed) ReadStdin()                  {}
func (h *rehearsed) Idle(int)                    {}
func (h *rehearsed) Poll()                       {}

func (h *rehearsed) Next(_ context.Context, wait time.Duration) (Answer, bool) {
	if answer := h.answer; answer != nil {
		h.answer = nil
		return *answer, true
	}
	time.Sleep(wait) // until the timer of the script
	return Answer{}, false
}
