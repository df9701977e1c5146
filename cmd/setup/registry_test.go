package setup_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/setup"
	"github.com/toolscript/toolscript/test/fixture/registryserver"
)

// document returns the published OpenAPI document of the registry.
func document(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../test/fixture/registryserver/testdata/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(again)))
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

// start starts a registry with additional servers, and validates each request and each answer
// against the OpenAPI document.
func start(t *testing.T, more ...json.RawMessage) (address string, requests *atomic.Int64) {
	t.Helper()
	entries, err := registryserver.Servers()
	if err != nil {
		t.Fatal(err)
	}
	entries = append(entries, more...)
	doc, handler := document(t), registryserver.Handler(entries...)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("registry.json", doc); err != nil {
		t.Fatal(err)
	}
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		template, schema := "/v0.1/servers", "ServerList"
		if parts := strings.Split(r.URL.EscapedPath(), "/"); len(parts) == 6 {
			template, schema = "/v0.1/servers/{serverName}/versions/{version}", "ServerResponse"
			if parts[4] != "versions" {
				t.Errorf("unknown path %s", r.URL)
			}
		} else if r.URL.Path != template {
			t.Errorf("unknown path %s", r.URL)
		}
		for name := range r.URL.Query() {
			if !hasParameter(doc, template, name) {
				t.Errorf("%s has no parameter %s", template, name)
			}
		}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		if recorder.Code == http.StatusOK {
			answer, err := jsonschema.UnmarshalJSON(strings.NewReader(recorder.Body.String()))
			if err == nil {
				err = compiler.MustCompile("registry.json#/components/schemas/" + schema).Validate(answer)
			}
			if err != nil {
				t.Errorf("%s: %v", r.URL, err)
			}
		}
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(recorder.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func hasParameter(doc map[string]any, template, name string) bool {
	get := doc["paths"].(map[string]any)[template].(map[string]any)["get"].(map[string]any)
	for _, p := range get["parameters"].([]any) {
		if p.(map[string]any)["name"] == name {
			return true
		}
	}
	return false
}

func TestSearch(t *testing.T) {
	address, _ := start(t)
	c := &setup.Client{URL: address}
	found, more, err := c.Search(t.Context(), "weather")
	var names []string
	for _, e := range found {
		names = append(names, e.Server.Name+" "+e.Server.Version)
	}
	if diff := cmp.Diff([]string{"io.github.octocat/weather-mcp-server 1.2.0", "com.example.sea/weather 3.0.0"}, names); diff != "" || more || err != nil {
		t.Errorf("found (-want +got), %v:\n%s", err, diff)
	}
	if e, err := c.Get(t.Context(), "io.github.octocat/weather-mcp-server", "1.1.0"); err != nil || e.Meta.Official.Status != "deprecated" {
		t.Errorf("Get = %+v, %v", e, err)
	}
	if _, err := c.Get(t.Context(), "com.example/gone", ""); toolscript.KindOf(err) != toolscript.NotFound || !strings.Contains(err.Error(), `was deleted from the registry: "It had a hole"`) {
		t.Errorf("Get of a deleted server: %v", err)
	}
	if found, _, err := c.Search(t.Context(), "gone"); len(found) > 0 || err != nil {
		t.Errorf("Search of a deleted server: %v, %v", found, err)
	}
	if _, err := c.Get(t.Context(), "io.github.octocat/none", ""); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("Get of an unknown server: %v", err)
	}
}

// TestManyServers: the right server is found even if the names of so many publishers match that it is
// on none of the pages that are read.
func TestManyServers(t *testing.T) {
	var many []json.RawMessage
	for i := range 620 {
		many = append(many, json.RawMessage(fmt.Sprintf(`{"server": {"name": "io.github.user%03d/files", "description": "d", "version": "1.0.0"}, "_meta": {}}`, i)))
	}
	for _, name := range []string{"io.github.zoo/my-github-tools", "io.github.github/github-mcp-server", "io.github.zoo/github-stars", "com.example/GitHub"} {
		many = append(many, json.RawMessage(fmt.Sprintf(`{"server": {"name": %q, "description": "d", "version": "1.0.0"}, "_meta": {}}`, name)))
	}
	address, requests := start(t, many...)
	c := &setup.Client{URL: address}
	found, more, err := c.Search(t.Context(), "github")
	var names []string
	for _, e := range found {
		names = append(names, e.Server.Name)
	}
	want := []string{"io.github.github/github-mcp-server", "com.example/GitHub", "io.github.zoo/github-stars"}
	if diff := cmp.Diff(want, names); diff != "" || !more || err != nil {
		t.Errorf("found (-want +got), %v, %v:\n%s", more, err, diff)
	}
	if n := requests.Load(); n != 6 {
		t.Errorf("%d requests, want 6", n)
	}
	if found, more, err := c.Search(t.Context(), "user61"); len(found) != 10 || more || err != nil {
		t.Errorf("found %d, %v, %v", len(found), more, err)
	}
}

// TestCopies: an answer is cached for ten minutes, and used for longer if the registry cannot be reached.
func TestCopies(t *testing.T) {
	address, requests := start(t)
	var dead atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if dead.Load() {
			http.Error(w, "out of order", http.StatusBadGateway)
			return
		}
		resp, err := http.Get(address + r.URL.RequestURI())
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	defer proxy.Close()
	now := time.Now()
	var older time.Time
	c := &setup.Client{URL: proxy.URL, Dir: t.TempDir(), Now: func() time.Time { return now }, Older: func(at time.Time, reason error) {
		if older = at; !strings.Contains(reason.Error(), "502") {
			t.Errorf("reason = %v", reason)
		}
	}}
	if err := os.Chmod(c.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ask := func() error {
		_, err := c.Get(t.Context(), "com.example/mcp", "")
		return err
	}
	if err := errors.Join(ask(), ask()); err != nil || requests.Load() != 1 || !older.IsZero() {
		t.Errorf("%v, %d requests, want 1", err, requests.Load())
	}
	dead.Store(true)
	now = now.Add(time.Hour)
	if err := ask(); err != nil || older.IsZero() {
		t.Errorf("without the registry: %v, copy of %v", err, older)
	}
	now = now.Add(31 * 24 * time.Hour)
	if err := ask(); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("without the registry and with an old copy: %v", err)
	}
	files, err := os.ReadDir(c.Dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("copies: %v, %v", files, err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, files[0].Name()), []byte("{damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	dead.Store(false)
	if err := ask(); err != nil {
		t.Errorf("with a damaged copy: %v", err)
	}
	c.Dir = filepath.Join(c.Dir, "none")
	if err := ask(); err != nil {
		t.Errorf("with an answer that cannot be kept: %v", err)
	}
}

func TestBadRegistries(t *testing.T) {
	for _, address := range []string{"http://registry.example.com", "ftp://x", "registry", "https://user:pw@registry.example.com", "file:///etc"} {
		c := &setup.Client{URL: address}
		if _, _, err := c.Search(t.Context(), "x"); toolscript.KindOf(err) != toolscript.Invalid {
			t.Errorf("%s: %v, want invalid", address, err)
		}
	}
	for name, body := range map[string]string{"html": "<html>", "array": "[1]", "other server": `{"server": {"name": "evil.example/x"}}`, "large": strings.Repeat(" ", 9<<20)} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		if e, err := (&setup.Client{URL: s.URL}).Get(t.Context(), "com.example/x", ""); err == nil {
			t.Errorf("%s: %+v", name, e)
		}
		s.Close()
	}
	away := httptest.NewServer(http.RedirectHandler("http://registry.example.com/", http.StatusFound))
	defer away.Close()
	if _, _, err := (&setup.Client{URL: away.URL}).Search(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "https://") {
		t.Errorf("a redirect without TLS: %v", err)
	}
}
