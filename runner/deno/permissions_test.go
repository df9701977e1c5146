package deno

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/runner/internal/tether"
)

// bareLoader runs a script as the loader does, and takes nothing away from it.
const bareLoader = `const code = await new Response(Deno.stdin.readable).text();
const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
const { default: attempts } = await import(url);
const outcomes = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    outcomes[name] = "gave " + String(await attempt());
  } catch (error) {
    outcomes[name] = error.name + ": " + error.message;
  }
}
console.log(JSON.stringify(outcomes));
Deno.exit(0);
`

// TestPermissionsAlone proves that the flags hold by themselves: the scripts of
// this test have every global of Deno, as if one had found a way to them. Each
// line of the file is an attempt: its name, what the outcome must match, and the
// code.
func TestPermissionsAlone(t *testing.T) {
	pinned, err := filepath.Abs("../../test/node_modules/@deno/linux-x64-glibc/deno")
	if _, missing := os.Stat(pinned); err != nil || missing != nil || runtime.GOOS != "linux" {
		t.Skip("the Deno of test/package.json is not here: run npm ci in test")
	}
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(`"the-secret"`), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := NewEngine(t.Context(), Options{Executable: pinned, Folder: filepath.Join(t.TempDir(), "deno")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close() //nolint:errcheck // its folder is the test's
	code, wants := attempts(t, strings.NewReplacer("SECRET", secret, "OTHER", strings.TrimPrefix(other.URL, "http://")))

	outcomes := map[string]string{}
	if err := json.Unmarshal(runBare(t, e, code), &outcomes); err != nil {
		t.Fatal(err)
	}
	for name, want := range wants {
		if got, made := outcomes[name]; !made || !want.MatchString(got) || strings.Contains(got, "the-secret") {
			t.Errorf("%s: %q, want %s", name, got, want)
		}
	}
	if reached {
		t.Error("a script has reached another server")
	}
	t.Logf("%d attempts", len(wants))
}

// attempts reads the data file: one module of functions, and what each must give.
func attempts(t *testing.T, fill *strings.Replacer) (code string, wants map[string]*regexp.Regexp) {
	t.Helper()
	text, err := os.ReadFile("testdata/permissions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var module strings.Builder
	module.WriteString("export default {\n")
	wants = map[string]*regexp.Regexp{}
	for line := range strings.Lines(fill.Replace(string(text))) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.SplitN(strings.TrimSpace(line), " | ", 3)
		if len(fields) != 3 {
			t.Fatalf("permissions.txt: %q", line)
		}
		wants[fields[0]] = regexp.MustCompile(fields[1])
		module.WriteString(quoted(fields[0]) + ": async () => " + fields[2] + ",\n")
	}
	module.WriteString("}\n")
	return module.String(), wants
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // a string always has JSON
	return string(text)
}

// runBare runs code under the flags, the environment and the wall of a run, and
// answers with what it printed.
func runBare(t *testing.T, e *Engine, code string) []byte {
	t.Helper()
	folder, err := e.scratch.sub()
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{engine: e, folder: folder, capability: newCapability()}
	base := e.door.url(p.capability)
	e.door.admit(p.capability)
	text, err := importMap(base, "v")
	if err != nil {
		t.Fatal(err)
	}
	mapPath, loader := filepath.Join(folder, "map.json"), filepath.Join(folder, "bare.js")
	for path, content := range map[string]string{mapPath: string(text), loader: bareLoader} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.options.Executable, arguments(e.door.host(), mapPath, loader, "run-bare")...)
	cmd.Dir, cmd.Env, cmd.Stdin = folder, environment(base, filepath.Join(folder, "cache")), strings.NewReader(code)
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	release, _, err := tether.Start(cmd, p.access())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	return []byte(out.String())
}
