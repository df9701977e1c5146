//go:build integration && linux

package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/kit"
)

// TestTaskOfAKilledGateway kills a gateway while a server, which goes on, works on a task for a call with an
// idempotency key. The same script at the next gateway gets the result of that task; there is no second one.
func TestTaskOfAKilledGateway(t *testing.T) {
	if testing.Short() {
		t.Skip("the record of a killed process counts for a minute")
	}
	for _, generation := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(generation, func(t *testing.T) {
			switches := []string{"tasks"}
			if generation == "2026-07-28" {
				switches = append(switches, "modern")
			}
			server := mcpserver.NewHTTP(switches...)
			h := httptest.NewServer(server)
			t.Cleanup(func() {
				h.CloseClientConnections()
				h.Close()
			})
			p := program(t)
			config := p.Configured(t, fmt.Sprintf(`{"mcpServers": {"long": {"type": "http", "url": %q}}}`, h.URL+"/mcp"))
			before, _ := mcpserver.Tasks()
			script := map[string]any{"code": `return await tools.$with({ idempotencyKey: "report-7" }).long.work({ text: "stay" })`}

			killed, err := p.StartGateway(context.WithoutCancel(t.Context()), "--config", config)
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := killed.Exec(context.Background(), script)
				ended <- err
			}()
			kit.Eventually(t, "the task", func() bool {
				begun, _ := mcpserver.Tasks()
				return begun == before+1 && server.Seen("tasks/get") >= 10 // the gateway has stored its id at the first one
			})
			if err := killed.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil {
				t.Error("the run has ended without an error")
			}
			_ = killed.Stop() // it was killed

			mcpserver.FinishTasks()
			g := p.Serve(t, "--config", config)
			var end map[string]any
			kit.Eventually(t, "the end of the record of the killed gateway", func() bool {
				events, err := g.Exec(t.Context(), script)
				if err != nil {
					t.Fatal(err)
				}
				if end = events[len(events)-1]; !strings.Contains(fmt.Sprint(end["error"]), "conflict") {
					return true
				}
				time.Sleep(time.Second) // as the error says
				return false
			})
			text, _ := json.Marshal(end) // it was decoded from JSON
			if end["value"] != "done stay" {
				t.Errorf("the script at the next gateway: %s", text)
			}
			if begun, cancelled := mcpserver.Tasks(); begun != before+1 || cancelled > 0 {
				t.Errorf("%d tasks have begun, %d were cancelled", begun-before, cancelled)
			}
		})
	}
}
