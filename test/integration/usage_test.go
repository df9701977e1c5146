//go:build integration && linux

package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// TestUsage runs a script with three npm servers, and compares the output of usage with the token
// counts of tiktoken-go: usage estimates a long text within a tenth, and a line of code with a path of
// random letters within a factor of two.
func TestUsage(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	count := func(text string) int {
		n, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	near := func(estimated, exact int) bool { return 9*exact <= 10*estimated && 10*estimated <= 11*exact }
	likely := func(estimated, exact int) bool { return exact <= 2*estimated && estimated <= 2*exact }
	dir := t.TempDir()
	text := strings.Repeat("Der Bau schlägt unter Windows fehl: see issue #1234 — 日本語.\n", 500)
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := program(t)
	path := p.Configured(t, serversIn(dir))
	run := func(args ...string) []byte {
		out, err := p.Command(t.Context(), append(args, "--config", path)...).Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return out
	}
	args, err := json.Marshal(map[string]string{"path": file})
	if err != nil {
		t.Fatal(err)
	}
	script := `const { content } = await tools.filesystem.readTextFile(` + string(args) + `); await tools.everything.echo({ message: "hello" }); return content.length`
	printed := run("exec", script)
	run("list-servers") // starts the server that the script does not use
	var got struct {
		Runs    int
		Servers []struct {
			Server      string
			Tools       int
			Definitions struct{ Plain, Compact int }
			Calls       int
		}
		Tools []struct {
			Tool                               string
			Calls, Arguments, Results, Reached int
		}
		Work struct {
			Plain, Toolscript struct{ Definitions, Written, Read, Total int }
			Saved             int
		}
		Exclude []struct {
			Server string
			Tokens int
		}
	}
	if err := json.Unmarshal(run("usage", "--json"), &got); err != nil {
		t.Fatal(err)
	}
	if got.Runs != 1 || len(got.Servers) != 3 {
		t.Fatalf("%d runs, servers %+v", got.Runs, got.Servers)
	}
	found := false
	for _, tool := range got.Tools {
		if tool.Tool != "filesystem__read_text_file" {
			continue
		}
		found = true
		if tool.Calls != 1 || !likely(tool.Arguments, count(string(args))) || !near(tool.Results, count(text)) {
			t.Errorf("%+v; want %d and %d", tool, count(string(args)), count(text))
		}
	}
	if !found {
		t.Errorf("no call of the tool in %+v", got.Tools)
	}
	if own := got.Work.Toolscript; !likely(own.Written, count(script)) || own.Read < count(string(printed)) {
		t.Errorf("with toolscript %+v; want %d written, at least %d read", own, count(script), count(string(printed)))
	}
	if plain := got.Work.Plain; 10*plain.Read < 9*count(text) || plain.Definitions < 1000 || got.Work.Saved != plain.Total-got.Work.Toolscript.Total {
		t.Errorf("as plain tool calls %+v, saved %d", plain, got.Work.Saved)
	}
	if len(got.Exclude) != 1 || got.Exclude[0].Server != "memory" || got.Exclude[0].Tokens < 500 {
		t.Errorf("never used: %+v", got.Exclude)
	}
}
