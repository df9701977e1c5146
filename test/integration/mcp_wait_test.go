//go:build integration

package integration

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPWait limits how long run_script waits: a script that ends in time returns its value at once;
// otherwise the client can wait for it, and abort it, by its id.
func TestMCPWait(t *testing.T) {
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) {
			waitForRuns(t, mcpClient(t, entrance, program(t), `{"mcpServers": {}}`, nil))
		})
	}
}

type waitAnswer struct {
	runAnswer
	Running bool
}

func waitForRuns(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	run := func(arguments map[string]any) (waitAnswer, bool) {
		t.Helper()
		return callTool[waitAnswer](t, s, "run_script", arguments)
	}
	quick, failed := run(map[string]any{"code": `console.log("a"); return 1`, "wait": "30s"})
	if failed || !quick.OK || quick.Running || string(quick.Value) != "1" || quick.Output != "a\n" {
		t.Errorf("quick: %+v", quick)
	}
	if wrong, failed := run(map[string]any{"code": "return 1 +", "wait": "30s"}); !failed || wrong.OK || wrong.Error == nil || wrong.Error.Code != "check" {
		t.Errorf("wrong: %+v", wrong)
	}

	slow, failed := run(map[string]any{"code": `import { store } from "toolscript"; while ((await store.get("go")) !== 1) await new Promise((next) => setTimeout(next, 50)); return "done"`, "wait": "0s"})
	if failed || !slow.OK || !slow.Running || slow.Run == "" || len(slow.Notices) != 1 || !strings.Contains(slow.Notices[0], `"abort": true`) {
		t.Fatalf("slow: %+v", slow)
	}
	if _, failed := run(map[string]any{"code": `import { store } from "toolscript"; await store.set("go", 1)`}); failed {
		t.Fatal("the store cannot be written")
	}
	if done, failed := run(map[string]any{"run": slow.Run, "wait": "5m"}); failed || !done.OK || done.Running || string(done.Value) != `"done"` {
		t.Errorf("done: %+v %+v", done, done.Error)
	}

	endless, _ := run(map[string]any{"code": `import { store } from "toolscript"; for (;;) { await store.get("go"); await new Promise((next) => setTimeout(next, 50)); }`, "wait": "10ms"})
	if !endless.Running {
		t.Fatalf("endless: %+v", endless)
	}
	if ended, failed := run(map[string]any{"run": endless.Run, "abort": true}); !failed || ended.Running || ended.Error == nil || ended.Error.Code != "cancelled" {
		t.Errorf("aborted: %+v %+v", ended, ended.Error)
	}
	for _, bad := range []map[string]any{
		{}, {"abort": true}, {"code": "return 1", "run": endless.Run}, {"code": "return 1", "wait": "soon"}, {"code": "return 1", "wait": "-2h"},
		{"code": "return 1", "wait": "-1s"}, {"run": "run_0000000000000000"}, {"run": "../../x"},
	} {
		answer, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: bad})
		if err != nil || !answer.IsError {
			t.Errorf("%v: %+v, %v", bad, answer, err)
		}
	}
}
