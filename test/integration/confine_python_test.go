//go:build integration && linux

package integration

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pythonServer is a server with one tool, which returns the folder of its Python interpreter.
const pythonServer = `
import json, sys
def main():
    for line in sys.stdin:
        m = json.loads(line)
        if "id" not in m:
            continue
        result = {}
        if m["method"] == "initialize":
            result = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "snake", "version": "1"}}
        elif m["method"] == "tools/list":
            result = {"tools": [{"name": "prefix", "inputSchema": {"type": "object"}}]}
        elif m["method"] == "tools/call":
            result = {"content": [{"type": "text", "text": sys.prefix}]}
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
if __name__ == "__main__":
    main()
`

// wheel writes the server as a Python package into a folder, so that no registry is needed.
func wheel(t *testing.T, folder string) {
	t.Helper()
	f, err := os.Create(filepath.Join(folder, "snake_server-1.0-py3-none-any.whl"))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, entry := range [][2]string{
		{"snake_server.py", pythonServer},
		{"snake_server-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: snake-server\nVersion: 1.0\n"},
		{"snake_server-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{"snake_server-1.0.dist-info/entry_points.txt", "[console_scripts]\nsnake-server = snake_server:main\n"},
		{"snake_server-1.0.dist-info/RECORD", ""},
	} {
		w, err := z.Create(entry[0])
		if err == nil {
			_, err = w.Write([]byte(entry[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// tools skips the test unless all programs of these names are installed.
func tools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed; it comes with: pip install uv pipx", name)
		}
	}
}

// TestConfinedPython: Python servers work with a "confine" that contains only what they need besides their
// program, even if uv has installed interpreters for the user. pip needs more than 10 s for a virtual environment:
// the short form has one without pip, and copies the server into it.
func TestConfinedPython(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := func(name string) string {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	wheels, data := folder("wheels"), folder("data")
	folder("data/uv/python")
	wheel(t, wheels)
	t.Setenv("XDG_DATA_HOME", data)
	home := "HOME=" + folder("home") // pip runs "rustc --version" for its user agent, and rustup then writes into the home folder
	run := func(t *testing.T, name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Env = append(os.Environ(), home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	venv := func(t *testing.T) string {
		t.Helper()
		tools(t, "python3")
		if exec.CommandContext(t.Context(), "python3", "-c", "import venv, ensurepip").Run() != nil {
			t.Skip("this Python cannot make virtual environments; on Debian they come with the package python3-venv")
		}
		python := filepath.Join(top, "a folder", "venv", "bin", "python") // because of the space, the first line of an installed program names a shell
		if _, err := os.Stat(python); err != nil {
			if testing.Short() {
				run(t, "python3", "-m", "venv", "--without-pip", filepath.Dir(filepath.Dir(python)))
				found, err := filepath.Glob(filepath.Join(top, "a folder/venv/lib/python*/site-packages"))
				if err != nil || len(found) != 1 {
					t.Fatalf("the environment has %q, %v", found, err)
				}
				write(filepath.Join(found[0], "snake_server.py"), pythonServer)
				return python
			}
			run(t, "python3", "-m", "venv", filepath.Dir(filepath.Dir(python)))
			run(t, python, "-m", "pip", "install", "-q", "--no-index", "--find-links", wheels, "snake-server")
		}
		return python
	}
	project := func(t *testing.T, name string, sync bool) string {
		t.Helper()
		tools(t, "uv", "python3")
		dir := folder(name)
		write(filepath.Join(dir, "pyproject.toml"), "[project]\nname = \"app\"\nversion = \"1\"\nrequires-python = \">=3.8\"\n")
		write(filepath.Join(dir, "server.py"), pythonServer)
		run(t, "uv", "lock", "-q", "--no-index", "--directory", dir)
		if sync {
			run(t, "uv", "sync", "-q", "--no-index", "--directory", dir)
		}
		return dir
	}
	for name, start := range map[string]func(*testing.T) []string{
		"uvx": func(t *testing.T) []string {
			t.Helper()
			tools(t, "uvx", "python3")
			return []string{"uvx", "--no-index", "--find-links", wheels, "snake-server"}
		},
		"uv run": func(t *testing.T) []string {
			t.Helper()
			return []string{"uv", "--directory", project(t, "app", true), "run", "server.py"}
		},
		"uv run without an environment": func(t *testing.T) []string {
			t.Helper()
			return []string{"uv", "run", "--project", project(t, "new", false), filepath.Join(top, "new/server.py")}
		},
		"pipx": func(t *testing.T) []string {
			t.Helper()
			tools(t, "pipx", "python3")
			return []string{"pipx", "run", "--spec", filepath.Join(wheels, "snake_server-1.0-py3-none-any.whl"), "snake-server"}
		},
		"a program of a virtual environment": func(t *testing.T) []string {
			t.Helper()
			if testing.Short() {
				t.Skip("the short form has no program of pip")
			}
			return []string{filepath.Join(filepath.Dir(venv(t)), "snake-server")}
		},
		"a virtual environment": func(t *testing.T) []string {
			t.Helper()
			return []string{venv(t), "-m", "snake_server"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			argv := start(t)
			args, err := json.Marshal(argv[1:])
			if err != nil {
				t.Fatal(err)
			}
			g := gateway(t, fmt.Sprintf(`{"mcpServers": {"snake": {"command": %q, "args": %s, "cwd": %q, "env": {"UV_NO_INDEX": "1", "UV_FIND_LINKS": %q, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": %[4]q}, "confine": {"read": [%[4]q]}}}}`, argv[0], args, top, wheels))
			ready(t, g)
			if status, r := call(t, g, "snake__prefix", map[string]any{}); r.IsError || status != 200 {
				t.Errorf("%d %+v", status, r)
			}
		})
	}
}

// TestSuggestForPackageManager: files that a package manager installs in the cache of its server cause no warning.
func TestSuggestForPackageManager(t *testing.T) {
	tools(t, "uvx", "python3")
	wheels := t.TempDir()
	wheel(t, wheels)
	servers := fmt.Sprintf(`{"mcpServers": {"snake": {"command": "uvx", "args": ["--no-index", "--find-links", %q, "snake-server"]}}}`, wheels)
	s, _ := suggest(t, servers, "snake", `return await tools.snake.prefix({})`)
	for _, p := range s.Problems {
		if p.Sensitive || strings.Contains(p.What, "cache/confined") {
			t.Errorf("%+v", p)
		}
	}
}
