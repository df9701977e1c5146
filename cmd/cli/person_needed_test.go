package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// belowAgent returns a world in which an agent runs the commands.
func belowAgent(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, map[string]string{"home/.toolscript.json": empty, "work/other.json": empty})
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t), "CLAUDECODE=1")
	return w
}

// dangerous returns commands that rules such as Bash(toolscript search *) match and that would
// start or redirect something.
func dangerous(mark string) map[string][]string {
	return map[string][]string{
		"a program":                  {"search", "--stdio", "sh -c 'touch " + mark + "'", "x"},
		"a program with a name":      {"search", "--stdio=a=sh -c 'touch " + mark + "'", "x"},
		"a program in list-tools":    {"list-tools", "--stdio", "touch " + mark},
		"a program in exec":          {"exec", "--stdio", "touch " + mark, "return 1"},
		"a server":                   {"search", "--url", "http://127.0.0.1:9/mcp", "x"},
		"a file":                     {"search", "--config", "other.json", "x"},
		"a file, in short":           {"search", "-c", "other.json", "x"},
		"a file, in short, together": {"search", "-cother.json", "x"},
		"a file before the command":  {"--config", "other.json", "search", "x"},
		"trust":                      {"exec", "--trust", "return 1"},
		"a data folder":              {"search", "--data-dir", "data", "x"},
		"a library":                  {"gateway", "start", "--search-library", "lib", "--port", "0"},
		"a model":                    {"gateway", "start", "--search-model", "model.gguf", "--port", "0"},
		"another file of a gateway":  {"gateway", "start", "--config=other.json", "--port", "0"},
		"a gateway elsewhere":        {"search", "--gateway-url", "http://192.0.2.1:1/x", "x"},
		"a gateway elsewhere, -g":    {"exec", "-g", "http://host.example/x", "return 1"},
	}
}

// TestAgentNeedsAPerson: if an agent runs the command, flags that start or redirect something are
// refused before they have any effect.
func TestAgentNeedsAPerson(t *testing.T) {
	w := belowAgent(t)
	mark := filepath.Join(w.dir, "owned")
	for name, args := range dangerous(mark) {
		r := w.run(t, args...)
		if r.code != 1 || !strings.Contains(r.stderr, "an agent (CLAUDECODE) has started this command") || r.stdout != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program has run")
	}
	for name, args := range map[string][]string{
		"no such flags":     {"list-servers"},
		"a local gateway":   {"status", "--gateway-url", "http://127.0.0.1:9/x"},
		"no trust":          {"exec", "--trust=false", "--check", "return 1"},
		"a variable of the": {"list-servers", "--log-level", "error"},
	} {
		if r := w.run(t, args...); strings.Contains(r.stderr, "a person has to run it") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestPersonMayUseThem: the same flags are accepted from a person, and from the user's variables.
func TestPersonMayUseThem(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": empty, "work/other.json": empty})
	if r := w.run(t, "list-servers", "--config", "other.json"); strings.Contains(r.stderr, "an agent") {
		t.Errorf("a person: %+v", r)
	}
	w.env = append(w.env, "CLAUDECODE=1", "TOOLSCRIPT_CONFIG=other.json")
	if r := w.run(t, "list-servers"); strings.Contains(r.stderr, "an agent") {
		t.Errorf("a variable: %+v", r)
	}
}

// TestHookAdmitsExactlyOneCommand: the client asks about such a command even if a rule allows it.
// After that, the command may start once, with the same arguments in the same folder.
func TestHookAdmitsExactlyOneCommand(t *testing.T) {
	w := belowAgent(t)
	refused := func(args ...string) bool {
		return strings.Contains(w.run(t, args...).stderr, "a person has to run it")
	}
	const command = "toolscript list-servers --config other.json"
	if got := w.decides(t, command); got != "ask" {
		t.Fatalf("the hook decides %q", got)
	}
	for name, args := range map[string][]string{
		"another file":      {"list-servers", "--config", "x.json"},
		"another spelling":  {"list-servers", "--config=other.json"},
		"another command":   {"list-tools", "--config", "other.json"},
		"one more argument": {"list-servers", "--config", "other.json", "--verbose"},
		"one more flag":     {"list-servers", "--config", "other.json", "--data-dir", "x"},
	} {
		if !refused(args...) {
			t.Errorf("%s is not refused", name)
		}
	}
	if refused("list-servers", "--config", "other.json") {
		t.Error("the command is refused")
	}
	if !refused("list-servers", "--config", "other.json") {
		t.Error("the command may begin again")
	}
	w.decides(t, command)
	dir := w.dir
	w.dir = filepath.Dir(dir)
	if !refused("list-servers", "--config", "other.json") {
		t.Error("the command may begin in another folder")
	}
	w.dir = dir
	var data string
	for _, entry := range w.env {
		if value, ok := strings.CutPrefix(entry, "TOOLSCRIPT_DATA_DIR="); ok {
			data = value
		}
	}
	files, err := os.ReadDir(filepath.Join(data, "admitted"))
	if err != nil || len(files) != 1 {
		t.Fatalf("admissions %v, %v", files, err)
	}
	old := time.Now().Add(-11 * time.Minute)
	if err := os.Chtimes(filepath.Join(data, "admitted", files[0].Name()), old, old); err != nil {
		t.Fatal(err)
	}
	if !refused("list-servers", "--config", "other.json") {
		t.Error("the command may begin after the time of its admission")
	}
	for name, text := range map[string]string{
		"harmless":          "toolscript list-servers",
		"a substitution":    "toolscript list-servers --config $(echo other.json)",
		"a variable":        "toolscript list-servers --config $FILE",
		"another program":   "toolscript list-servers --config other.json; ls",
		"not at the begin":  "FOO=1 toolscript list-servers --config other.json",
		"in the background": "toolscript list-servers --config other.json &",
	} {
		if got := w.decides(t, text); got == "ask" {
			t.Errorf("%s: the hook asks", name)
		}
	}
	if !refused("list-servers", "--config", "other.json") {
		t.Error("a command that is not plain was admitted")
	}
}
