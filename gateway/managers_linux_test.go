package gateway_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/runner/confined"
	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestPackageManagers: a package manager installs into the cache of its server. Package managers of Python can
// also read the interpreters of the user, and the project or the script that they run.
func TestPackageManagers(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"bin/uv": "", "bin/uvx": "", "bin/npx": "", "bin/pnpm": "", "bin/pipx": "", "python/bin/python3.12": "", "python/lib/os.py": "",
		"src/app/pyproject.toml": "", "src/app/.venv/pyvenv.cfg": "", "src/app/server.py": "", "src/new/pyproject.toml": "", "src/new/data.db": "",
		"alone/server.py": "", "alone/other.py": "", "pyproject.toml": "",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o700)
		if filepath.Ext(name) == ".py" {
			mode = 0o600
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	if lacks := (gateway.Confiner{}).Lacks(upstream.Confine{Watched: true, Free: true}); lacks != "" {
		t.Skip(lacks)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("UV_PYTHON_INSTALL_DIR", "")
	managed := filepath.Join(home, ".local/share/uv/python")
	for name, c := range map[string]struct {
		line  string
		has   bool   // uv has installed interpreters for the user
		write string // writable path in the configuration
		read  string // readable paths in the home folder, without the program
		set   string // variables in the cache
		unset string
	}{
		"uvx":                         {line: "uvx server", has: true, read: ".local/share/uv/python python/bin python/lib", set: "UV_CACHE_DIR UV_TOOL_DIR", unset: "UV_PYTHON_INSTALL_DIR UV_PROJECT_ENVIRONMENT"},
		"uvx without interpreters":    {line: "uvx server", read: "python/bin python/lib", set: "UV_CACHE_DIR UV_PYTHON_INSTALL_DIR"},
		"uv tool run":                 {line: "uv tool run server", read: "python/bin python/lib", set: "UV_CACHE_DIR", unset: "UV_PROJECT_ENVIRONMENT"},
		"an interpreter it can write": {line: "uvx server", write: "python", set: "UV_CACHE_DIR"},
		"uv run":                      {line: "uv --directory src/app run server.py --db src/new/data.db", read: "python/bin python/lib src/app", set: "UV_CACHE_DIR", unset: "UV_PROJECT_ENVIRONMENT"},
		"uv run in a new project":     {line: "uv run --directory=src/new server", read: "python/bin python/lib src/new", set: "UV_PROJECT_ENVIRONMENT"},
		"uv run of a project":         {line: "uv run --project src/app mcp run src/app/server.py:app", read: "python/bin python/lib src/app"},
		"uv run of a script":          {line: "uv run --no-project alone/server.py alone/other.py", read: "alone python/bin python/lib"},
		"uv run of the home folder":   {line: "uv run server", read: "python/bin python/lib"},
		"pipx":                        {line: "pipx run server", read: "python/bin python/lib", set: "PIPX_HOME PIPX_BIN_DIR PIPX_MAN_DIR UV_CACHE_DIR"},
		"npx":                         {line: "npx -y server", has: true, set: "npm_config_cache", unset: "npm_config_cache_dir UV_PYTHON_INSTALL_DIR"},
		"pnpm":                        {line: "pnpm dlx server", set: "PNPM_HOME npm_config_cache_dir pnpm_config_cache_dir"},
		"another program":             {line: "python/bin/python3.12 server", read: "python/bin python/lib", unset: "UV_CACHE_DIR npm_config_cache"},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.RemoveAll(managed)
			if c.has {
				if err := os.MkdirAll(managed, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			argv := strings.Fields(c.line)
			program := filepath.Join(home, "bin", argv[0])
			if strings.Contains(argv[0], "/") {
				program = filepath.Join(home, argv[0])
			}
			p := upstream.Confined{Confine: upstream.Confine{Watched: true, Free: true}, Path: program, Args: argv, Fixed: argv[1:], Env: []string{"PATH=" + filepath.Join(home, "python/bin")}, Dir: home}
			if c.write != "" {
				p.Write = []string{filepath.Join(home, c.write)}
			}
			cache, record := filepath.Join(home, "cache"), &observed.Record{}
			start, err := gateway.Confiner{CacheDir: cache, Record: record}.Start(p)
			if err != nil {
				t.Fatal(err)
			}
			start.CloseFiles()
			defer start.End()
			var spec confined.Spec
			if err := json.Unmarshal([]byte(start.Args[2]), &spec); err != nil {
				t.Fatal(err)
			}
			var read []string
			for _, path := range spec.Read {
				_, err := os.Stat(path)
				if rel, _ := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(rel, "bin") && !slices.Contains(read, rel) {
					read = append(read, rel)
				}
			}
			if slices.Sort(read); strings.Join(read, " ") != c.read {
				t.Errorf("it reads %q, want %s", read, c.read)
			}
			own := record.Bases()[0].Own
			for name := range strings.FieldsSeq(c.set) {
				if !slices.ContainsFunc(start.Env, func(entry string) bool {
					folder, is := strings.CutPrefix(entry, name+"=")
					return is && strings.HasPrefix(folder, cache+"/") && slices.ContainsFunc(own, func(top string) bool { return strings.HasPrefix(folder, top+"/") })
				}) {
					t.Errorf("%s is not in the cache: %q", name, start.Env)
				}
			}
			for name := range strings.FieldsSeq(c.unset) {
				if slices.ContainsFunc(start.Env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") }) {
					t.Errorf("%s is set: %q", name, start.Env)
				}
			}
		})
	}
}
