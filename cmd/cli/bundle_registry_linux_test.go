package cli_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/registryserver"
)

// registryWith serves a registry with one server that has these packages, and the files of a folder.
func registryWith(t *testing.T, folder string, packages func(url string) string) string {
	t.Helper()
	var registry http.Handler
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/v0.1/"):
			registry.ServeHTTP(w, r)
		case r.URL.Path == "/away":
			http.Redirect(w, r, "http://192.0.2.1/notes.mcpb", http.StatusFound)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	registry = registryserver.Handler(json.RawMessage(fmt.Sprintf(
		`{"server":{"name":"io.github.ann/notes-mcp","version":"1.2.0","description":"Reads notes.","packages":[%s]},"_meta":{}}`, packages(server.URL))))
	return server.URL
}

func sumOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// A bundle of the registry is downloaded, compared with its hash, and added like a file.
func TestAddBundleOfTheRegistry(t *testing.T) {
	w, data := bundleWorld(t, `{"manifest_version":"0.3","name":"My Notes","version":"1.2.0","description":"Reads notes.","author":{"name":"Ann"},
		"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"${__dirname}/bin/notes","args":["${user_config.folder}"],"env":{"NOTES_KEY":"x"}}},
		"user_config":{"folder":{"type":"directory","required":true}}}`, notes(t))
	if err := os.WriteFile(filepath.Join(w.dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(w.dir, "notes.mcpb")
	url := registryWith(t, w.dir, func(url string) string {
		return fmt.Sprintf(`{"registryType":"mcpb","identifier":%q,"fileSha256":%q,"transport":{"type":"stdio"}}`, url+"/notes.mcpb", sumOf(t, bundle))
	})
	r := w.run(t, "add", "--yes", "--registry", url, "io.github.ann/notes-mcp", "folder="+w.dir)
	if r.code != 0 || !strings.Contains(r.stderr, "the account ann at github") || !strings.Contains(r.stderr, "My Notes 1.2.0: Reads notes.") {
		t.Fatalf("%+v", r)
	}
	if r := w.run(t, "exec", `return (await tools.notes.readFile({ path: "a.txt" })).lines`); r.code != 0 || r.stdout != "1\n" {
		t.Errorf("exec: %+v", r)
	}
	if left := names(t, filepath.Join(data, "cache/downloads")); len(left) > 0 {
		t.Errorf("downloads are left: %v", left)
	}
	if r := w.run(t, "remove", "notes", "--yes"); r.code != 0 || len(names(t, filepath.Join(data, "bundles"))) > 0 {
		t.Errorf("remove: %+v", r)
	}
}

// Nothing is unpacked from a file that is not the one of the registry, and none is fetched from an
// address that the registry must not name.
func TestBundlesOfTheRegistryThatAreRefused(t *testing.T) {
	w, data := bundleWorld(t, bundled, notes(t))
	sum := sumOf(t, filepath.Join(w.dir, "notes.mcpb"))
	for name, test := range map[string]struct{ identifier, sum, part string }{
		"another file":          {"URL/notes.mcpb", strings.Repeat("0", 64), "is not the bundle that the registry describes"},
		"no hash":               {"URL/notes.mcpb", "", "does not give the SHA-256"},
		"a hash that is a path": {"URL/notes.mcpb", "../../../home/.toolscript", "does not give the SHA-256"},
		"no encryption":         {"http://example.com/notes.mcpb", sum, "must begin with https://"},
		"a file":                {"file:///etc/passwd", sum, "must begin with https://"},
		"away":                  {"URL/away", sum, "cannot be read"},
		"missing":               {"URL/none.mcpb", sum, "status 404"},
	} {
		t.Run(name, func(t *testing.T) {
			url := registryWith(t, w.dir, func(url string) string {
				return fmt.Sprintf(`{"registryType":"mcpb","identifier":%q,"fileSha256":%q,"transport":{"type":"stdio"}}`, strings.Replace(test.identifier, "URL", url, 1), test.sum)
			})
			r := w.run(t, "add", "--yes", "--registry", url, "io.github.ann/notes-mcp")
			if r.code == 0 || !strings.Contains(r.stderr, test.part) {
				t.Errorf("%+v, want %q", r, test.part)
			}
			if left := append(names(t, filepath.Join(data, "bundles")), names(t, filepath.Join(data, "cache/downloads"))...); len(left) > 0 {
				t.Errorf("files are left: %v", left)
			}
		})
	}
}

// Of several bundles, the first that runs on this system is added; beside other packages, only --from
// takes one.
func TestBundlesForSeveralSystems(t *testing.T) {
	w, _ := bundleWorld(t, `{"manifest_version":"0.3","name":"Notes","version":"1","description":"Reads.","author":{"name":"Ann"},"compatibility":{"platforms":["win32"]},
		"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"${__dirname}/bin/notes"}}}`, notes(t))
	if err := os.Rename(filepath.Join(w.dir, "notes.mcpb"), filepath.Join(w.dir, "windows.mcpb")); err != nil {
		t.Fatal(err)
	}
	other, _ := bundleWorld(t, `{"manifest_version":"0.3","name":"Notes","version":"1","description":"Reads.","author":{"name":"Ann"},
		"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"${__dirname}/bin/notes"}}}`, notes(t))
	if err := os.Rename(filepath.Join(other.dir, "notes.mcpb"), filepath.Join(w.dir, "linux.mcpb")); err != nil {
		t.Fatal(err)
	}
	both := func(url string) string {
		var all []string
		for _, name := range []string{"windows", "linux"} {
			all = append(all, fmt.Sprintf(`{"registryType":"mcpb","identifier":"%s/%s.mcpb","fileSha256":%q,"transport":{"type":"stdio"}}`, url, name, sumOf(t, filepath.Join(w.dir, name+".mcpb"))))
		}
		return strings.Join(all, ",")
	}
	npm := `{"registryType":"npm","identifier":"notes-mcp","version":"1.2.0","transport":{"type":"stdio"}},`
	url := registryWith(t, w.dir, func(url string) string { return npm + both(url) })
	if r := w.run(t, "add", "--yes", "--registry", url, "--name", "packed", "io.github.ann/notes-mcp"); r.code != 0 || w.defined(t, "packed").Command != "npx" {
		t.Errorf("beside a package: %+v", r)
	}
	r := w.run(t, "add", "--yes", "--registry", url, "--from", "mcpb", "io.github.ann/notes-mcp")
	if r.code != 0 || !strings.Contains(r.stderr, "linux.mcpb") || !strings.HasSuffix(w.defined(t, "notes").Command, "/bin/notes") {
		t.Errorf("for this system: %+v", r)
	}
}
