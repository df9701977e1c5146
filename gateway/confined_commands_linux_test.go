package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/commands"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestConfinedCommands: the programs of a server of commands can access what its configuration
// names, and nothing else, not even files that a caller names.
func TestConfinedCommands(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	defer web.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root, data, outside := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "secret.sh")
	for path, text := range map[string]string{filepath.Join(root, "script.sh"): "echo ran $1", filepath.Join(data, "a"): "data", outside: "echo secret"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	definitions := fmt.Sprintf(`{
		"read": {"run": ["cat", "{path}"], "parameters": {"path": "a file"}},
		"script": {"run": ["sh", "script.sh", "{text}"], "parameters": {"text": "a text"}},
		"run": {"run": ["sh", "{path}"], "parameters": {"path": "a script"}},
		"write": {"run": ["sh", "-c", "echo x > \"$1\"", "sh", "{path}"], "parameters": {"path": "a file"}},
		"signal": {"run": ["sh", "-c", "kill -0 \"$1\"", "sh", "{pid}"], "parameters": {"pid": {"type": "integer"}}},
		"temp": {"run": ["sh", "-c", "echo x > $TMPDIR/x && cat $TMPDIR/x"]},
		"child": {"run": ["sh", "-c", "sh -c 'cat \"$1\"' sh \"$1\"", "sh", "{path}"], "parameters": {"path": "a file"}},
		"fetch": {"run": [%q, %q, "{url}"], "parameters": {"url": "an address"}}}`, self, fetchRole)
	d := commands.Dialer{RunCommand: gateway.RunCommand, Confiner: gateway.Confiner{}}
	c, err := d.Dial(t.Context(), "programs", upstream.Config{
		Type: upstream.Command, Root: root, Commands: json.RawMessage(definitions), Env: map[string]string{"OUTSIDE": outside},
		Confine: &upstream.Confine{Write: []string{data}, Net: []string{web.Listener.Addr().String()}},
	}, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for _, test := range []struct{ tool, args, want string }{
		{"read", fmt.Sprintf(`{"path": %q}`, filepath.Join(data, "a")), `"data"`},
		{"read", fmt.Sprintf(`{"path": %q}`, outside), "Permission denied"},
		{"child", fmt.Sprintf(`{"path": %q}`, outside), "Permission denied"},
		{"run", fmt.Sprintf(`{"path": %q}`, outside), "Permission denied"},
		{"script", `{"text": "it"}`, `ran it`},
		{"write", fmt.Sprintf(`{"path": %q}`, filepath.Join(data, "b")), `""`},
		{"write", fmt.Sprintf(`{"path": %q}`, filepath.Join(root, "b")), "Permission denied"},
		{"write", fmt.Sprintf(`{"path": %q}`, outside), "Permission denied"},
		{"signal", fmt.Sprintf(`{"pid": %d}`, os.Getpid()), "not permitted"},
		{"temp", `{}`, `x\n`},
		{"fetch", fmt.Sprintf(`{"url": %q}`, web.URL), "direct " + web.URL + ": failed"},
		{"fetch", fmt.Sprintf(`{"url": %q}`, web.URL), "proxy " + web.URL + ": 200 hello"},
	} {
		if got, err := answers.Of(t, c, test.tool, test.args); !strings.Contains(fmt.Sprint(got, err), test.want) {
			t.Errorf("%s %s: %s, %v, want %s", test.tool, test.args, got, err, test.want)
		}
	}
}

// TestLinkOutOfProject: a path in the configuration of a project is refused if a commit has replaced it by a link out of
// the project.
func TestLinkOutOfProject(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	link := filepath.Join(project, "data")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []upstream.Confine{{Read: []string{link}}, {Write: []string{link}}, {Read: []string{project, link}}, {Write: []string{project, filepath.Join(link, ".")}}} {
		p := upstream.Confined{Confine: c, Project: files.Folder{Dir: project}, Path: "/bin/true", Args: []string{"true"}, Dir: project}
		if _, err := (gateway.Confiner{}).Start(p); err == nil || !strings.Contains(err.Error(), "leads to "+home) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestLinkOut: a link in a folder that a server writes to gives it no access outside of the folder.
func TestLinkOut(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	link := filepath.Join(folder, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []upstream.Confine{{Write: []string{folder}, Read: []string{link}}, {Write: []string{folder, link}}} {
		_, err := gateway.Confiner{}.Start(upstream.Confined{Confine: c, Path: "/bin/true", Args: []string{"true"}, Dir: folder})
		if err == nil || !strings.Contains(err.Error(), link) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	start, err := gateway.Confiner{}.Start(upstream.Confined{Confine: upstream.Confine{Read: []string{link}}, Path: "/bin/true", Args: []string{"true"}, Dir: folder})
	if err != nil {
		t.Fatal(err)
	}
	start.End()
}
