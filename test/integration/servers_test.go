//go:build integration && linux

package integration

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

type toolResult struct {
	Content           []struct{ Type, Text string }
	StructuredContent map[string]any
	IsError           bool
	Error, Kind       string
	Details           []struct{ Path, Message string }
}

func call(t *testing.T, g *harness.Gateway, id string, args any) (int, toolResult) {
	t.Helper()
	var r toolResult
	status, err := g.Post(t.Context(), "/tools/"+id, args, &r)
	if err != nil {
		t.Fatalf("POST /tools/%s: %v", id, err)
	}
	return status, r
}

func ready(t *testing.T, g *harness.Gateway) {
	t.Helper()
	if err := g.Ready(t.Context()); err != nil {
		t.Fatalf("not ready: %v", err)
	}
}

func TestScriptAgainstRealServers(t *testing.T) {
	g := gateway(t, servers(t))
	// The servers are not ready yet. The run waits for those that the script names.
	events, err := g.Exec(t.Context(), map[string]any{"code": `
import { tools } from "toolscript";
await tools.memory.createEntities({ entities: [{ name: "a", entityType: "letter", observations: ["first"] }] });
const [graph, echo, sum] = await Promise.all([
	tools.memory.readGraph(), tools.everything.echo({ message: "x" }), tools.everything.getSum({ a: 2, b: 3 }),
]);
console.log(echo);
let refused = "";
try { await tools.filesystem.readTextFile({ path: "/etc/passwd" }); } catch (e) { refused = e.name + " " + e.code; }
return { names: graph.entities.map((e: any) => e.name), sum, refused };`})
	if err != nil {
		t.Fatal(err)
	}
	end := events[len(events)-1]
	want := `map[names:[a] refused:ToolError tool_failed sum:The sum of 2 and 3 is 5.]`
	if got := fmt.Sprint(end["value"]); end["ok"] != true || got != want {
		t.Errorf("end %v, want the value %s", end, want)
	}
	var calls, out int
	for _, e := range events {
		switch e["type"] {
		case "call":
			calls++
		case "stdout":
			out++
		}
	}
	if calls != 5 || out != 1 {
		t.Errorf("%d calls and %d pieces of output, want 5 and 1", calls, out)
	}
}

func TestThousandCallsAtOnce(t *testing.T) {
	g := gateway(t, servers(t))
	ready(t, g)
	var group sync.WaitGroup
	for i := range 1000 {
		group.Go(func() {
			want := fmt.Sprintf("Echo: %d", i)
			var r toolResult
			status, err := g.Post(t.Context(), "/tools/everything__echo", map[string]any{"message": fmt.Sprint(i)}, &r)
			if err != nil || status != http.StatusOK || len(r.Content) != 1 || r.Content[0].Text != want {
				t.Errorf("call %d: %d %v %+v", i, status, err, r)
			}
		})
	}
	group.Wait()
}

type serverStatus struct {
	Name, State, Error string
	Tools, Restarts    int
	Stale              bool
}

func state(t *testing.T, g *harness.Gateway, name string) serverStatus {
	t.Helper()
	var all []serverStatus
	if _, err := g.Get(t.Context(), "/servers", &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no server %s in %+v", name, all)
	return serverStatus{}
}

// TestKilledServerIsRestarted kills a server. The gateway restarts it, and its tools work again.
func TestKilledServerIsRestarted(t *testing.T) {
	g := gateway(t, servers(t))
	ready(t, g)
	for _, p := range harness.Descendants(g.PID()) {
		if strings.Contains(strings.Join(p.Args, " "), "everything") {
			if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := harness.Until(t.Context(), func() (bool, error) {
		s := state(t, g, "everything")
		return s.State == "ready" && s.Restarts > 0, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if status, r := call(t, g, "everything__echo", map[string]any{"message": "again"}); status != http.StatusOK {
		t.Errorf("after the restart: %d %+v", status, r)
	}
}

// TestServersThatCannotWork configures servers that cannot work. Each shows its error, and none delays a working
// server.
func TestServersThatCannotWork(t *testing.T) {
	config := strings.Replace(servers(t), `"mcpServers": {`, `"mcpServers": {
		"absent": {"command": "/nonexistent/mcp"},
		"dies": {"command": "sh", "args": ["-c", "echo 'no license' >&2; exit 3"]},
		"silent": {"command": "sleep", "args": ["60"]},`, 1)
	g := gateway(t, config)
	err := harness.Until(t.Context(), func() (bool, error) {
		return state(t, g, "everything").State == "ready" && state(t, g, "dies").State == "backoff" && state(t, g, "absent").Error != "" &&
			state(t, g, "silent").State == "starting", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := g.Get(t.Context(), "/health", nil); err != nil || status != http.StatusOK {
		t.Errorf("/health: %d %v", status, err)
	}
	if s := state(t, g, "dies"); !strings.Contains(s.Error, "exit status 3") || !strings.Contains(s.Error, "no license") {
		t.Errorf("dies: %+v", s)
	}
	if s := state(t, g, "absent"); !strings.Contains(s.Error, "/nonexistent/mcp") {
		t.Errorf("absent: %+v", s)
	}
}
