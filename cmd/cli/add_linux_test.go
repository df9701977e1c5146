package cli_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/registryserver"
)

// registryWorld returns a world with an MCP Registry and an empty configuration.
func registryWorld(t *testing.T) *world {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // without a keyring
	entries, err := registryserver.Servers()
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(registryserver.Handler(entries...))
	t.Cleanup(s.Close)
	w := newWorld(t, nil)
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t), "TOOLSCRIPT_REGISTRY="+s.URL)
	return w
}

// At a terminal, add asks for the secrets of the server and stores them for that server.
func TestAddStoresSecrets(t *testing.T) {
	w := registryWorld(t)
	r := w.typing(t, "y\ny\nsesame-open-1234\n", "add", "io.github.octocat/weather-mcp-server", "city=Oslo", "--secrets")
	if r.code != 0 || !strings.Contains(r.stderr, "Store the secret WEATHER_API_KEY now? [y/N]") || !strings.Contains(r.stdout, "stored WEATHER_API_KEY in the encrypted file; for weather") {
		t.Fatalf("%+v", r)
	}
	if list := w.run(t, "secret", "list").stdout; !strings.Contains(list, "WEATHER_API_KEY\tfile\tweather\t\n") {
		t.Errorf("secrets:\n%s", list)
	}
	if text, err := os.ReadFile(filepath.Join(w.dir, "../home/.toolscript.json")); err != nil || strings.Contains(string(text), "sesame") || strings.Contains(r.stdout+r.stderr, "sesame") {
		t.Errorf("the value is shown: %s, %v, %+v", text, err, r)
	}
}

// add does not ask for secrets if it writes nothing, or if the user does not want questions.
func TestAddAsksNothingMore(t *testing.T) {
	w := registryWorld(t)
	for _, c := range []struct {
		typed string
		args  []string
	}{
		{"n\n", []string{"add", "io.github.octocat/weather-mcp-server", "city=Oslo", "--secrets"}},
		{"", []string{"add", "io.github.octocat/weather-mcp-server", "city=Oslo", "--secrets", "--yes"}},
	} {
		if r := w.typing(t, c.typed, c.args...); r.code != 0 || strings.Contains(r.stderr, "Store the secret") {
			t.Errorf("%q: %+v", c.args, r)
		}
	}
	if r := w.typing(t, "y\nn\n", "add", "com.example/mcp"); r.code != 0 || !strings.Contains(r.stderr, "Log in at example now? [y/N]") {
		t.Errorf("remote: %+v", r)
	}
}
