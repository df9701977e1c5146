//go:build integration && linux

package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/llama"
	"github.com/toolscript/toolscript/test/harness"
)

// TestGGUFModel searches with a model in toolscript-llama, and kills that process during a search. The
// embedded model takes over until the process runs again.
func TestGGUFModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("the library of npm is for x86-64")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "toolscript-llama")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../cmd/toolscript-llama").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	library, model, err := llama.Build(t.Context(), dir)
	var download *llama.DownloadError
	if errors.As(err, &download) {
		fmt.Fprintf(os.Stderr, "NOT TESTED: %s: the llama library and its model could not be fetched: %v\n", t.Name(), err)
		t.Skip("the library and the model could not be fetched")
	}
	if err != nil {
		t.Fatal(err)
	}
	g := gateway(t, demo(""), semantic, "TOOLSCRIPT_SEARCH_MODEL="+model, "TOOLSCRIPT_SEARCH_LIBRARY="+library, "TOOLSCRIPT_LLAMA="+program)
	awaitModel(t, g, "gguf-minilm-f16-")
	search(t, g)

	for _, p := range harness.Descendants(g.PID()) {
		if p.Args[0] == program {
			if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	search(t, g)
	until(t, func() bool { // the process was lost and started again
		search(t, g)
		return strings.Count(g.Log(), "embedding model ready") == 2
	})
	awaitModel(t, g, "gguf-minilm-f16-")
	search(t, g)
	if log := g.Log(); strings.Count(log, "signal: killed") != 1 {
		t.Error("the log does not say once that the model was killed")
	}
}

// TestRemoteModel searches with vectors of an endpoint, and then stops the endpoint.
func TestRemoteModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	const key = "sk-s3cret"
	var asked atomic.Int64
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		if json.NewDecoder(r.Body).Decode(&q) != nil || r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		var data []map[string]any
		for _, text := range q.Input {
			asked.Add(1)
			sum := strings.Count(strings.ToLower(text), "search") + 1
			data = append(data, map[string]any{"embedding": []int{sum * sum, 1}})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(endpoint.Close)
	remote := fmt.Sprintf(`, "search": {"remote": {"url": "%s/v1", "model": "some-model", "key": "${EMBEDDINGS_KEY}"}}`, endpoint.URL)
	g := gateway(t, demo(remote), semantic, "EMBEDDINGS_KEY="+key)
	awaitModel(t, g, "remote-some-model-2-")
	search(t, g)
	if asked.Load() == 0 {
		t.Error("the endpoint was not asked")
	}
	endpoint.Close()
	until(t, func() bool { // after three queries without an answer
		search(t, g)
		return strings.HasPrefix(stats(t, g).Model, "minilm-")
	})
	awaitModel(t, g, "minilm-")
	search(t, g)
	if strings.Contains(g.Log(), key) {
		t.Error("the log has the key")
	}
}

// TestInvalidModel configures a model that does not exist. The embedded model is used instead, and
// one log line says why.
func TestInvalidModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	missing := filepath.Join(t.TempDir(), "missing.gguf")
	g := gateway(t, demo(""), semantic, "TOOLSCRIPT_SEARCH_MODEL="+missing, "TOOLSCRIPT_LLAMA="+bin)
	awaitModel(t, g, "minilm-")
	if log := g.Log(); strings.Count(log, "missing.gguf") != 1 {
		t.Error("the log does not name the model once")
	}
	g = gateway(t, demo(""), semantic, "TOOLSCRIPT_SEARCH_MODEL=gte-small")
	awaitModel(t, g, "minilm-")
	if strings.Count(g.Log(), `gte-small`) != 1 {
		t.Error("the log does not name the unknown model once")
	}
}

func demo(more string) string {
	return fmt.Sprintf(`{"mcpServers": {"demo": {"command": %q, "args": ["mcp-demo"]}}%s}`, bin, more)
}

// awaitModel waits until search uses a model whose name begins with prefix.
func awaitModel(t *testing.T, g *harness.Gateway, prefix string) {
	t.Helper()
	until(t, func() bool {
		now := stats(t, g)
		return strings.HasPrefix(now.Model, prefix) && now.State == "hybrid"
	})
}

func until(t *testing.T, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := harness.Until(ctx, func() (bool, error) { return done(), nil }); err != nil {
		t.Fatal(err)
	}
}

// stats returns the search statistics, which are zero if there is no index.
func stats(t *testing.T, g *harness.Gateway) toolscript.SearchStats {
	t.Helper()
	var now toolscript.SearchStats
	if _, err := g.Get(t.Context(), "/search/stats", &now); err != nil {
		t.Fatal(err)
	}
	return now
}

// search checks that a query finds its tool, whatever the model.
func search(t *testing.T, g *harness.Gateway) {
	t.Helper()
	var a toolscript.SearchAnswer
	code, err := g.Get(t.Context(), "/search?q=search+text&threshold=0", &a)
	if err != nil || code != http.StatusOK || len(a.Results) == 0 || a.Results[0].ToolName != "search_text" {
		t.Errorf("search: %d, %v, %+v", code, err, a.Results)
	}
}
