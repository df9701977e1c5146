package openapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestDocumentsOfProject: neither the document nor a file of a $ref is read if a link leads it out of the project.
func TestDocumentsOfProject(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, home := filepath.Join(top, "project"), filepath.Join(top, "home")
	text := document("3.0.0", `{"/a": {"get": {"operationId": "op", "responses": {"200": {"$ref": "parts/a.json"}}}}}`)
	for file, text := range map[string]string{
		filepath.Join(project, "api", "a.json"): text, filepath.Join(project, "api", "parts", "a.json"): `{"description": "d"}`,
		filepath.Join(home, "a.json"): text, filepath.Join(home, "parts", "a.json"): `{"description": "private"}`,
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dial := func() error {
		settings := openapi.Settings{Spec: filepath.Join(project, "api", "a.json"), BaseURL: local}
		_, err := answers.Open(t, openapi.Dialer{}.Dial, settings, upstream.Config{Project: files.Folder{Dir: project}}, upstream.Events{})
		return err
	}
	if err := dial(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"api/parts/a.json", "api/parts", "api/a.json", "api"} {
		path := filepath.Join(project, filepath.FromSlash(name))
		if err := os.Rename(path, path+".old"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(home, strings.TrimPrefix(filepath.FromSlash(name), "api")), path); err != nil {
			t.Skip(err)
		}
		if err := dial(); err == nil || !strings.Contains(err.Error(), "leads to "+home) && !strings.Contains(err.Error(), "escapes") {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".old", path); err != nil {
			t.Fatal(err)
		}
	}
}
