package sandbox_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

var update = flag.Bool("update", false, "write what the engines give into the data files; read the diff before you commit")

// sameFolder contains one script per file. The comment of a file contains the request, except for the
// code, as JSON. "want" is the result on every engine. If the results differ, "want.deno" is that of
// Deno, and differences.txt contains the reason.
const sameFolder = "testdata/same"

// The parts of a data file.
const (
	partScript   = "script.ts"
	partStdin    = "stdin"
	partWant     = "want"
	partWantDeno = "want.deno"
	modules      = "modules/" // prefix of the paths of modules
)

// TestSameOnBothEngines runs every script on both engines, without the type check, because some scripts
// have type errors on purpose. It fails for a difference that is not listed, and for a listed one that
// no longer exists. With -short it runs only some of the scripts on Deno, because each starts a process.
func TestSameOnBothEngines(t *testing.T) {
	g := newGateway(t, "answer", "promise")
	files, err := filepath.Glob(filepath.Join(sameFolder, "*.txtar"))
	if err != nil || len(files) < 80 {
		t.Fatalf("%d scripts, %v, want at least 80", len(files), err)
	}
	reasons := differences(t)
	for i, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		reason, differs := reasons[name]
		delete(reasons, name)
		on := engines
		if testing.Short() && i%16 != 0 {
			on = on[:1]
		}
		t.Run(name, func(t *testing.T) {
			file, request, input := readCase(t, path)
			got := map[string]string{}
			for _, engine := range on {
				request.Engine = engine
				got[engine] = g.execInTime(t, request, input).String()
			}
			if *update {
				writeCase(t, path, file, got)
				return
			}
			if diff := cmp.Diff(part(file, partWant), got[toolscript.EngineQuickJS]); diff != "" {
				t.Errorf("on QuickJS (-want +got):\n%s", diff)
			}
			want := part(file, partWant)
			if differs {
				want = part(file, partWantDeno)
			}
			if diff := cmp.Diff(want, got[toolscript.EngineDeno]); diff != "" && slices.Contains(on, toolscript.EngineDeno) {
				t.Errorf("on Deno (-want +got):\n%s", diff)
			}
			if own := part(file, partWantDeno); (own != "") != differs || own == part(file, partWant) {
				t.Errorf("differences.txt says %q of this script, and its file has want.deno: %v", reason, own != "")
			}
		})
	}
	for name := range reasons {
		t.Errorf("differences.txt speaks of %s, which is no script", name)
	}
}

// execInTime is like exec, for a script that its engine must end. On a busy machine the watchdog or the
// gateway may act before the engine; their error says that they killed the script. Then execInTime
// runs the script once more.
func (g *gateway) execInTime(t *testing.T, request toolscript.ExecRequest, input string) *result {
	t.Helper()
	for range 5 {
		r := g.exec(t, request, input)
		if e := r.end.Error; e == nil || e.Code != toolscript.LimitTime || !strings.HasSuffix(e.Message, " and was killed") {
			return r
		}
	}
	t.Error("the script was killed five times")
	return g.exec(t, request, input)
}

// differences returns the scripts that have different results on the engines, with the reasons.
func differences(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		name, reason, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || reason == "" {
			t.Fatalf("differences.txt: %q gives no reason", line)
		}
		reasons[name] = reason
	}
	return reasons
}

func readCase(t *testing.T, path string) (*txtar.Archive, toolscript.ExecRequest, string) {
	t.Helper()
	file, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	request := toolscript.ExecRequest{Limits: toolscript.Limits{TimeoutMs: pace.Limit(time.Minute).Milliseconds()}, Rules: toolscript.Rules{Check: "off", TZ: "Europe/Vienna", Cwd: "/work"}}
	if comment := strings.TrimSpace(string(file.Comment)); comment != "" {
		if err := json.Unmarshal([]byte(comment), &request); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	request.Code = part(file, partScript)
	for _, f := range file.Files {
		if name, ok := strings.CutPrefix(f.Name, modules); ok {
			request.Modules = append(request.Modules, toolscript.ScriptModule{Path: name, Code: string(f.Data)})
		}
	}
	return file, request, part(file, partStdin)
}

func part(file *txtar.Archive, name string) string {
	for _, f := range file.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func writeCase(t *testing.T, path string, file *txtar.Archive, got map[string]string) {
	t.Helper()
	var kept []txtar.File
	for _, f := range file.Files {
		if f.Name == partScript || f.Name == partStdin || strings.HasPrefix(f.Name, modules) {
			kept = append(kept, f)
		}
	}
	kept = append(kept, txtar.File{Name: partWant, Data: []byte(got[toolscript.EngineQuickJS])})
	if own := got[toolscript.EngineDeno]; own != got[toolscript.EngineQuickJS] {
		kept = append(kept, txtar.File{Name: partWantDeno, Data: []byte(own)})
	}
	file.Files = kept
	if err := os.WriteFile(path, txtar.Format(file), 0o600); err != nil {
		t.Fatal(err)
	}
}
