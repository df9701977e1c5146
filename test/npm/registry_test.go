//go:build integration && linux

package npm_test

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
)

// registry is an npm registry that serves the built packages.
type registry struct {
	*httptest.Server

	mu      sync.Mutex
	fetched []string // names of the packages whose tarballs npm has fetched
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	r := &registry{}
	mux := http.NewServeMux()
	r.Server = httptest.NewServer(mux)
	t.Cleanup(r.Close)
	mux.HandleFunc("GET /tarballs/{name...}", func(w http.ResponseWriter, req *http.Request) {
		name := req.PathValue("name")
		r.mu.Lock()
		r.fetched = append(r.fetched, name)
		r.mu.Unlock()
		http.ServeFile(w, req, tarball(name))
	})
	mux.HandleFunc("GET /{name...}", func(w http.ResponseWriter, req *http.Request) {
		document, err := r.document(req.PathValue("name"))
		if err != nil {
			http.NotFound(w, req)
			t.Errorf("npm asks for %s: %v", req.URL, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document) // npm reports an incomplete answer
	})
	return r
}

// document returns the registry document of a package, with its only version.
func (r *registry) document(name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(packages, folderOf(name), "package.json"))
	if err != nil {
		return nil, err
	}
	var manifest map[string]any
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	packed, err := os.ReadFile(tarball(name))
	if err != nil {
		return nil, err
	}
	sum := sha512.Sum512(packed)
	manifest["dist"] = map[string]string{
		"tarball": r.URL + "/tarballs/" + name, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
	}
	return json.Marshal(map[string]any{
		"name": name, "dist-tags": map[string]string{"latest": toolscript.Version}, "versions": map[string]any{toolscript.Version: manifest},
	})
}

// served checks that npm has fetched exactly these packages.
func (r *registry) served(t *testing.T, want ...string) {
	t.Helper()
	r.mu.Lock()
	got := slices.Clone(r.fetched)
	r.mu.Unlock()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(slices.Compact(got), want) {
		t.Errorf("npm has fetched %v, want %v", got, want)
	}
}

func folderOf(name string) string { return strings.NewReplacer("@", "", "/", "-").Replace(name) }

func tarball(name string) string {
	return filepath.Join(packages, folderOf(name)+"-"+toolscript.Version+".tgz")
}

// TestReleasedNotices checks that archives and packages contain the licences.
func TestReleasedNotices(t *testing.T) {
	config, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name := range notices(t) {
		pattern, inPackages := name, "src: "+name
		if folder := filepath.Dir(name); folder != "." {
			pattern, inPackages = folder+"/*", "src: "+folder+"/*"
		}
		if text := string(config); !strings.Contains(text, "- "+pattern+"\n") || !strings.Contains(text, inPackages+",") {
			t.Errorf(".goreleaser.yaml leaves %s out", name)
		}
	}
}

// notices returns NOTICE and the licence files that it names.
func notices(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{"LICENSE": true, "NOTICE": true}
	for _, name := range regexp.MustCompile(`[\w./-]+/licenses/[\w.-]+`).FindAllString(string(text), -1) {
		found[name] = true
	}
	if len(found) < 5 {
		t.Fatalf("NOTICE names only %v", found)
	}
	return found
}
