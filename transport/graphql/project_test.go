package graphql_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestSchemaOfProject: the schema file is not read if it is a link out of the project.
func TestSchemaOfProject(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, home := filepath.Join(top, "project"), filepath.Join(top, "home")
	for _, folder := range []string{filepath.Join(project, "api"), home} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "a.graphql"), []byte(sdl), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link.graphql": home + "/a.graphql", "relative.graphql": "../home/a.graphql", "folder": "../home", "inside": "api"} {
		if err := os.Symlink(target, filepath.Join(project, name)); err != nil {
			t.Skip(err)
		}
	}
	for spec, allowed := range map[string]bool{
		"api/a.graphql": true, "inside/a.graphql": true, "link.graphql": false, "relative.graphql": false, "folder/a.graphql": false,
	} {
		settings := graphql.Settings{URL: "http://127.0.0.1:1/", Spec: filepath.Join(project, spec)}
		_, err := answers.Open(t, graphql.Dialer{}.Dial, settings, upstream.Config{Project: files.Folder{Dir: project}}, upstream.Events{})
		if (err == nil) != allowed || err != nil && !strings.Contains(err.Error(), "leads to "+home) {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// TestLargeSchema: a file that is too large, or endless, is not read into memory.
func TestLargeSchema(t *testing.T) {
	large := answers.File(t, "large.graphql", "")
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := dial(t, graphql.Settings{URL: "http://127.0.0.1:1/", Spec: large}); err == nil || !strings.Contains(err.Error(), "has more than 64 MB") {
		t.Errorf("Dial: %v", err)
	}
}
