package deno

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// registry is an npm registry on loopback with one version of one package.
type registry struct {
	*httptest.Server
	tarball []byte
}

const packageName = "@toolscript-test/deno"

func newRegistry(t *testing.T, tarball []byte) *registry {
	t.Helper()
	r := &registry{tarball: tarball}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		switch {
		case request.URL.Path == "/"+packageName && r.tarball != nil:
			_ = json.NewEncoder(w).Encode(map[string]any{
				"name": packageName, "dist-tags": map[string]string{"latest": Version},
				"versions": map[string]any{Version: map[string]any{
					"name": packageName, "version": Version,
					"dist": map[string]string{"tarball": r.URL + "/deno.tgz"},
				}},
			})
		case request.URL.Path == "/deno.tgz":
			_, _ = w.Write(r.tarball)
		default:
			http.NotFound(w, request)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// pack returns an npm package with a program, and its integrity.
func pack(t *testing.T, program string) (tarball []byte, integrity string) {
	t.Helper()
	var b strings.Builder
	zip, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(zip)
	add := func(name string, mode, size int64, content io.Reader) {
		if err := archive.WriteHeader(&tar.Header{Name: "package/" + name, Mode: mode, Size: size, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(archive, content); err != nil {
			t.Fatal(err)
		}
	}
	manifest := `{"name":"` + packageName + `","version":"` + Version + `","scripts":{"postinstall":"exit 1"}}`
	add("package.json", 0o644, int64(len(manifest)), strings.NewReader(manifest))
	f, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // closing writes no data
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	add(executableName, 0o755, info.Size(), f)
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512([]byte(b.String()))
	return []byte(b.String()), "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// TestInstall runs the installed npm client with a registry on loopback. The pinned
// content is installed and found; any other content leaves no files.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("it downloads Deno")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not here")
	}
	real := newInnerEngine(t).options.Executable
	tarball, integrity := pack(t, real)
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("#!/bin/sh\necho 'deno 1.0.0 (test)'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	old, oldIntegrity := pack(t, other)
	for _, c := range []struct {
		name    string
		tarball []byte
		pinned  string
		reason  string // "" if the package is installed
	}{
		{"what is pinned", tarball, integrity, ""},
		{"another content", old, integrity, packageName + " " + Version},
		{"another version", old, oldIntegrity, "Deno 1.0.0, not " + Version},
		{"no such package", nil, integrity, "npm ci: exit status 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			data := filepath.Join(home, "data")
			folder := filepath.Join(data, "deno", Version)
			env := []string{
				"PATH=" + os.Getenv("PATH"), "HOME=" + home,
				"NPM_CONFIG_REGISTRY=" + newRegistry(t, c.tarball).URL, "NPM_CONFIG_FETCH_RETRIES=0",
			}
			if err := os.Mkdir(data, 0o700); err != nil {
				t.Fatal(err)
			}
			path, err := install(t.Context(), folder, env, npmPackage{packageName, Version, c.pinned})
			if c.reason == "" {
				found := Search{Installed: folder}.Find(t.Context())
				if err != nil || path != filepath.Join(folder, executableName) || !found.Available || found.Path != path || found.Version != Version {
					t.Errorf("installed %s, %v, found %+v", path, err, found)
				}
				if left, err := os.ReadDir(filepath.Join(data, "deno")); err != nil || len(left) != 1 {
					t.Errorf("other files are left: %v, %v", left, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("install: %v, want %q", err, c.reason)
			}
			if left, err := os.ReadDir(data); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			if found := (Search{Installed: folder}).Find(t.Context()); found.Available {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// TestInstallThatFailsKeepsWhatThereIs checks that a failed installation keeps an installed Deno that works.
func TestInstallThatFailsKeepsWhatThereIs(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not here")
	}
	home := t.TempDir()
	folder := filepath.Join(home, "deno", Version)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(folder, executableName)
	if err := os.WriteFile(there, []byte("old"), 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "NPM_CONFIG_REGISTRY=" + newRegistry(t, nil).URL, "NPM_CONFIG_FETCH_RETRIES=0"}
	if _, err := install(t.Context(), folder, env, npmPackage{packageName, Version, "sha512-AA=="}); err == nil {
		t.Error("installed from a registry without the package")
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "old" {
		t.Errorf("what was there is now %q, %v", text, err)
	}
}
