//go:build integration && linux

package integration

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
)

// TestStore: scripts of both engines share the values of their session, and runs that change a value
// at the same time lose no change.
func TestStore(t *testing.T) {
	g := gateway(t, `{"mcpServers": {}}`, "TOOLSCRIPT_DENO="+filepath.Join(peers, "../@deno/linux-x64-glibc/deno"))
	run := func(engine, session, code string) any {
		t.Helper()
		events, err := g.Exec(t.Context(), map[string]any{"engine": engine, "session": session, "code": code})
		if err != nil {
			t.Fatal(err)
		}
		end := events[len(events)-1]
		if end["ok"] != true {
			text, _ := json.Marshal(end) // it was decoded from JSON
			t.Fatalf("%s: %s", engine, text)
		}
		return end["value"]
	}
	engines := []string{"quickjs", "deno"}
	for _, engine := range engines {
		run(engine, "one", `await Promise.all(Array.from({ length: 10 }, () => store.update("n", (n = 0) => n + 1)))`)
	}
	for _, engine := range engines {
		got := run(engine, "one", `return [await store.get("n"), (await store.list()).map((e) => e.key)]`)
		if fmt.Sprint(got) != "[20 [n]]" {
			t.Errorf("%s: %v", engine, got)
		}
		if got := run(engine, "two", `return (await store.get("n")) === undefined`); got != true {
			t.Errorf("%s sees the value of another session", engine)
		}
	}
}
