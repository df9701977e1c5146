//go:build integration && linux

package integration

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/harness"
)

// TestCallsWhileIndexing makes calls and queries while the model embeds the tools of real servers.
// No call waits for a step of the indexer: the number of vectors is the same before and after it.
func TestCallsWhileIndexing(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	g := gateway(t, servers(t), semantic)
	if err := g.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	const query = "/search?q=echo+a+message&threshold=0"
	until(t, func() bool { // the indexer receives a server's tools after the server is ready
		var found toolscript.SearchAnswer
		_, err := g.Get(t.Context(), query, &found)
		return err == nil && len(found.Results) > 0 && found.Results[0].ToolID == "everything__echo"
	})
	met, calls, last := 0, 0, -1
	until(t, func() bool {
		before, state := progress(t, g)
		if before == 0 || before == last { // one call in each step, soon after the step begins
			return state == "hybrid"
		}
		last = before
		message := fmt.Sprintf("call %d", calls)
		var result struct {
			Content []struct{ Text string }
		}
		status, err := g.Post(t.Context(), "/tools/everything__echo", map[string]string{"message": message}, &result)
		if err != nil || status != http.StatusOK || len(result.Content) != 1 || result.Content[0].Text != "Echo: "+message {
			t.Errorf("call during %q: %d, %v, %+v", state, status, err, result)
		}
		var found toolscript.SearchAnswer
		status, err = g.Get(t.Context(), query, &found)
		if err != nil || status != http.StatusOK || len(found.Results) == 0 || found.Results[0].ToolID != "everything__echo" {
			t.Errorf("query during %q: %d, %v, %+v", state, status, err, found.Results)
		}
		calls++
		if after, _ := progress(t, g); after == before {
			met++
		}
		return false
	})
	t.Logf("%d calls while tools were indexed, %d of them inside one step", calls, met)
	if met == 0 {
		t.Error("no call was answered in the middle of a step")
	}
	if now := stats(t, g); now.State != "hybrid" || now.Failed != 0 {
		t.Errorf("afterwards: %+v", now)
	}
}

// progress returns the number of indexed tools in /status, which is 0 before the first and after the last.
func progress(t *testing.T, g *harness.Gateway) (indexed int, state string) {
	t.Helper()
	var status struct{ Search toolscript.SearchStats }
	if _, err := g.Get(t.Context(), "/status", &status); err != nil {
		t.Fatal(err)
	}
	state = status.Search.State
	_, _ = fmt.Sscanf(state, "indexing %d/", &indexed) // other states contain no number
	return indexed, state
}
