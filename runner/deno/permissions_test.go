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
)

// bareLoader runs a script like the loader, but removes no globals.
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

// TestPermissionsAlone checks Deno's permission flags alone: the scripts can use every global of
// Deno, as if a script had found a way to them. Each line of the data file is an attempt: its name,
// a pattern for the outcome, and the code.
func TestPermissionsAlone(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(`"the-secret"`), 0o600); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("SECRET", secret, "OTHER", strings.TrimPrefix(other.URL, "http://"))
	var lines []string
	for _, fields := range dataLines(t, "testdata/permissions.txt", 3, fill) {
		lines = append(lines, strings.Join(fields, " | "))
	}
	code, expected := attempts(t, lines)
	b := bare{engine: newInnerEngine(t)}
	outcomes := b.run(t, code)
	for name, want := range expected {
		if got, made := outcomes[name]; !made || !want.MatchString(got) || strings.Contains(got, "the-secret") {
			t.Errorf("%s: %q, want %s", name, got, want)
		}
	}
	if reached {
		t.Error("a script has reached another server")
	}
	t.Logf("%d attempts", len(expected))
}

// newInnerEngine returns an engine with the Deno that test/package.json pins.
func newInnerEngine(t *testing.T) *Engine {
	t.Helper()
	pinned, err := filepath.Abs("../../test/node_modules/@deno/linux-x64-glibc/deno")
	if _, missing := os.Stat(pinned); err != nil || missing != nil || runtime.GOOS != "linux" {
		t.Skip("the Deno of test/package.json is not here: run npm ci in test")
	}
	e, err := NewEngine(t.Context(), Options{Executable: pinned, Folder: filepath.Join(t.TempDir(), "deno")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() }) // the test removes the folder
	return e
}

// dataLines returns the lines of a data file, without comments and empty lines, in n
// fields each.
func dataLines(t *testing.T, path string, n int, fill *strings.Replacer) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(fill.Replace(string(text))) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.SplitN(strings.TrimSpace(line), " | ", n)
		if len(fields) != n {
			t.Fatalf("%s: %q", path, line)
		}
		lines = append(lines, fields)
	}
	return lines
}

// attempts returns one module with a function for each line, and the expected
// outcomes.
func attempts(t *testing.T, lines []string) (code string, expected map[string]*regexp.Regexp) {
	t.Helper()
	var module strings.Builder
	module.WriteString("export default {\n")
	expected = map[string]*regexp.Regexp{}
	for _, line := range lines {
		fields := strings.SplitN(line, " | ", 3)
		expected[fields[0]] = regexp.MustCompile(fields[1])
		module.WriteString(quoted(fields[0]) + ": async () => " + fields[2] + ",\n")
	}
	module.WriteString("}\n")
	return module.String(), expected
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // marshaling a string cannot fail
	return string(text)
}

// bare runs code with every global of Deno. It keeps the flags, the environment and
// the confinement of a run, or leaves out one of them.
type bare struct {
	engine     *Engine
	open       bool // Deno has all permissions
	unconfined bool // the system confines nothing
}

// run returns the outcome of each attempt.
func (b bare) run(t *testing.T, code string) map[string]string {
	t.Helper()
	e := b.engine
	folder, err := e.scratch.sub()
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{engine: e, folder: folder, capability: newCapability()}
	base := e.loopback.url(p.capability)
	e.loopback.admit(p.capability)
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
	args := arguments(e.loopback.host(), mapPath, loader, "run-bare")
	if b.open {
		args = []string{"run", "--quiet", "--no-check", "--no-config", "--no-lock", "--allow-all", loader}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.options.Executable, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = folder, environment(base, filepath.Join(folder, "cache")), strings.NewReader(code)
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	if b.unconfined {
		err = cmd.Start()
	} else {
		var release func()
		release, _, err = Start(cmd, p.access())
		if err == nil {
			defer release()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	outcomes := map[string]string{}
	if err := json.Unmarshal([]byte(out.String()), &outcomes); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return outcomes
}
