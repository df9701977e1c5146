package validate_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// forkOf is the release that codegen/jsonschema replaces.
const forkOf = "github.com/santhosh-tekuri/jsonschema/v6@v6.0.3"

// TestFork checks that codegen/jsonschema has the files of the release, and that only
// draft.go differs: it compiles the metaschemas when they are needed, and has Unchecked.
func TestFork(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", forkOf).Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil {
		t.Fatalf("go mod download %s: %v: %s", forkOf, err, out)
	}
	release, fork := files(t, module.Dir), files(t, filepath.Join("..", "jsonschema"))
	release[filepath.Join("licenses", "jsonschema.txt")] = release["LICENSE"]
	for name, text := range fork {
		if same := bytes.Equal(text, release[name]); same == (name == "draft.go") {
			t.Errorf("%s: equal to that of %s: %t", name, forkOf, same)
		}
	}
	for name := range release {
		top, _, _ := strings.Cut(name, string(filepath.Separator))
		needed := filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") || top == "metaschemas" || top == "licenses"
		if _, have := fork[name]; needed && !have {
			t.Errorf("%s is missing in codegen/jsonschema", name)
		}
	}
}

// files returns the contents of all files in a folder by their relative path.
func files(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		all[filepath.FromSlash(path)], err = os.ReadFile(filepath.Join(folder, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
