package codegen_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

var update = flag.Bool("update", false, "update the golden files")

// TestGolden makes each form from tools.json and the filter, if any, of each file in
// testdata/golden. The full form is compared without the part that is equal in all
// modules.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	constant, err := os.ReadFile("runtime.ts")
	if err != nil {
		t.Fatal(err)
	}
	globals, err := os.ReadFile("globals.ts")
	if err != nil {
		t.Fatal(err)
	}
	store, err := os.ReadFile("store.ts")
	if err != nil {
		t.Fatal(err)
	}
	finding, err := os.ReadFile("finding.ts")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadFile("pages.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want := split(archive)
			got := generate(t, input)
			for name, text := range got {
				got[name] = strings.TrimPrefix(strings.TrimPrefix(text, string(constant)+string(finding)+string(pages)), string(globals)+string(store)+string(finding))
			}
			if *update {
				rewrite(t, file, archive, got)
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got; if that is right, run: go test ./codegen -update\n%s", diff)
			}
		})
	}
}

// inputs are the input files of an archive.
var inputs = []string{"tools.json", "filter"}

func split(a *txtar.Archive) (input, output map[string]string) {
	input, output = map[string]string{}, map[string]string{}
	for _, f := range a.Files {
		if slices.Contains(inputs, f.Name) {
			input[f.Name] = string(f.Data)
		} else {
			output[f.Name] = string(f.Data)
		}
	}
	return input, output
}

func generate(t *testing.T, input map[string]string) map[string]string {
	t.Helper()
	var tools []toolscript.Tool
	var all []listed
	if err := json.Unmarshal([]byte(input["tools.json"]), &all); err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		tools = append(tools, l.tool(l.Server))
	}
	c := catalog(tools...)
	n := naming.New(c)
	filtered := c.Filter(toolscript.ParseFilter(input["filter"]))
	output := map[string]string{}
	var warnings strings.Builder
	for _, w := range n.Warnings {
		warnings.WriteString(w + "\n")
	}
	for name, form := range forms {
		r := codegen.Module(filtered, n, codegen.Options{Form: form})
		parse(t, name, r.Text)
		output[name] = r.Text
		for _, w := range r.Warnings {
			if form == codegen.Full {
				warnings.WriteString(w.String() + "\n")
			}
		}
	}
	output["warnings"] = warnings.String()
	return output
}

func rewrite(t *testing.T, file string, a *txtar.Archive, output map[string]string) {
	t.Helper()
	a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return !slices.Contains(inputs, f.Name) })
	for _, name := range []string{"full.ts", "compact.ts", "toolscript.d.ts", "warnings"} {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(output[name])})
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
		t.Fatal(err)
	}
}
