package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// Tests for defects of similar gateways. That of a killed gateway, TestKilledGatewayLeavesNothing, is in
// package deno.

// Limits for these scripts: little for scripts that end by themselves, even on a busy machine, and
// deadline for scripts that do not.
var (
	little   = sync.OnceValue(func() toolscript.Limits { return toolscript.Limits{CPUMs: pace.Limit(2 * time.Second).Milliseconds()} })
	deadline = toolscript.Limits{TimeoutMs: 2_000}
)

// onBoth runs a script on each engine, without the type check.
func onBoth(t *testing.T, code string, limits toolscript.Limits, look func(t *testing.T, r *result)) {
	t.Helper()
	g := newGateway(t)
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			look(t, g.exec(t, toolscript.ExecRequest{Code: code, Limits: limits, Rules: toolscript.Rules{Engine: engine, Check: toolscript.CheckOff}}, ""))
		})
	}
}

func TestImportedFilesAreNotRead(t *testing.T) {
	file := filepath.Join(folder(t), "tokens.json")
	if err := os.WriteFile(file, []byte(`{"token":"`+secret+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{
		`import x from %q with { type: "text" }; console.log(x)`,
		`import x from "file://" + %q; console.log(x)`,
		`console.log((await import(%q, { with: { type: "json" } })).default)`,
		`const name = %q; console.log((await import("file://" + name, { with: { type: "json" } })).default)`,
	} {
		onBoth(t, fmt.Sprintf(code, file), little(), func(t *testing.T, r *result) {
			t.Helper()
			if r.end.OK || strings.Contains(r.String(), secret) {
				t.Errorf("%s: %s", code, r)
			}
		})
	}
}

func TestLiteralNpmImportsAreRefused(t *testing.T) {
	onBoth(t, `import x from "npm:left-pad"; console.log(x)`, little(), func(t *testing.T, r *result) {
		t.Helper()
		if r.end.Kind != toolscript.CheckFailed {
			t.Errorf("%s", r)
		}
	})
}

func TestEverythingEndsAtItsDeadline(t *testing.T) {
	codes := []string{
		`try { for (;;); } finally { for (;;); }`,
		`await new Promise(() => setInterval(() => {}, 1e3))`,
		`for (;;);`,
	}
	if testing.Short() {
		codes = codes[:1]
	}
	for _, code := range codes {
		onBoth(t, code, deadline, func(t *testing.T, r *result) {
			t.Helper()
			if r.end.Kind != toolscript.LimitTime || r.end.ExitCode != 1 {
				t.Errorf("%s: %s", code, r)
			}
		})
	}
}

func TestNothingPersists(t *testing.T) {
	g := newGateway(t)
	const code = `
const seen = [];
for (const [name, keep] of [
  ["localStorage", () => { const was = localStorage.getItem("k"); localStorage.setItem("k", "v"); return was; }],
  ["caches", async () => { const was = await caches.has("k"); await caches.open("k"); return was || null; }],
  ["global", () => { const was = globalThis.k ?? null; globalThis.k = "v"; return was; }],
]) {
  try { if ((await keep()) !== null) seen.push(name); } catch { /* what cannot be used cannot persist */ }
}
return seen`
	for _, engine := range engines {
		for range 3 {
			r := g.exec(t, toolscript.ExecRequest{Code: code, Rules: toolscript.Rules{Engine: engine, Check: toolscript.CheckOff}}, "")
			if got := string(r.end.Value); got != "[]" {
				t.Errorf("on %s a run saw %s of the one before: %s", engine, got, r)
			}
		}
	}
}

func TestStderrIsEmptyOnSuccess(t *testing.T) {
	onBoth(t, `console.log("fine"); return 1`, little(), func(t *testing.T, r *result) {
		t.Helper()
		if !r.end.OK || r.stderr.Len() > 0 || r.stdout.String() != "fine\n" {
			t.Errorf("%s", r)
		}
	})
}
