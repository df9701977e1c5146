package gateway

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/runner/confined"
	"github.com/toolscript/toolscript/transport/upstream"
)

// installer returns the package manager that a command line starts; "" if it starts none.
func installer(argv []string) string {
	if words := proc.Manager(argv); words != nil {
		return words[0]
	}
	return ""
}

// cachesOf returns environment variables that make package managers install into a folder. It
// returns those of all package managers, because one can start another.
func cachesOf(name, folder string) (env []string) {
	at := func(variable, below string) { env = append(env, variable+"="+filepath.Join(folder, below)) }
	at("npm_config_cache", "npm")
	at("COREPACK_HOME", "corepack")
	at("BUN_INSTALL_CACHE_DIR", "bun")
	at("PNPM_HOME", "pnpm")
	at("UV_CACHE_DIR", "uv")
	at("UV_TOOL_DIR", "tools")
	at("PIPX_HOME", "pipx")
	at("PIPX_BIN_DIR", "pipx/bin")
	at("PIPX_MAN_DIR", "pipx/man")
	if name == "pnpm" || name == "pnpx" { // npm warns about these variables
		for _, prefix := range []string{"npm", "pnpm"} { // the names up to pnpm 10, and the names since then
			at(prefix+"_config_cache_dir", "pnpm/cache")
			at(prefix+"_config_state_dir", "pnpm/state")
		}
	}
	return append(env, "npm_config_update_notifier=false")
}

// pythons returns the paths of the Python interpreters that uv and pipx find: interpreters in PATH, and
// interpreters that uv has installed for the user. It skips folders of PATH that the server can write to,
// so that the server cannot choose paths. If the user has no interpreters of uv, env makes uv install
// them into the cache.
func pythons(p upstream.Confined, cache string) (read, env []string) {
	for _, folder := range pathOf(p.Env) {
		if !filepath.IsAbs(folder) || slices.ContainsFunc(p.Write, func(top string) bool { return within(folder, top) }) {
			continue
		}
		files, _ := os.ReadDir(folder) // PATH often has folders that do not exist
		for _, file := range files {
			if interpreter().MatchString(file.Name()) {
				read = append(read, confined.Interpreter(filepath.Join(folder, file.Name()), inPath(p.Env))...)
			}
		}
	}
	// Do not use the variables of the server here: it must not choose this folder.
	home, _ := os.UserHomeDir()
	data := cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share"))
	own := cmp.Or(os.Getenv("UV_PYTHON_INSTALL_DIR"), filepath.Join(data, "uv", "python"))
	if _, err := os.Stat(own); err == nil { //nolint:gosec // the user's own environment
		return append(read, own), nil
	}
	return read, []string{"UV_PYTHON_INSTALL_DIR=" + filepath.Join(cache, "python")}
}

var interpreter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(python|pypy)[0-9.]*$`) })

// uvRun returns the files of the user that "uv run" needs: the pyproject.toml of the project, and the
// script. If the project has no environment, env makes uv create it in the cache.
func uvRun(p upstream.Confined, cache string) (files, env []string) {
	if installer(p.Args) != "uv" || !slices.Contains(p.Fixed, "run") || slices.Contains(p.Fixed, "tool") {
		return nil, nil
	}
	dir, project := p.Dir, ""
	option := func(i int, name string) string {
		value, found := strings.CutPrefix(p.Fixed[i], name+"=")
		if p.Fixed[i] == name && i+1 < len(p.Fixed) {
			value, found = p.Fixed[i+1], true
		}
		if !found {
			return ""
		}
		return absolute(dir, value)
	}
	run := slices.Index(p.Fixed, "run")
	for i := range p.Fixed {
		dir = cmp.Or(option(i, "--directory"), dir)
	}
	for i := range p.Fixed {
		project = cmp.Or(option(i, "--project"), project)
	}
	for i, word := range p.Fixed[run+1:] {
		path, _, _ := strings.Cut(word, ":") // mcp run server.py:name
		script := strings.HasSuffix(path, ".py") || i > 0 && slices.Contains([]string{"-s", "--script"}, p.Fixed[run+i])
		if script = script && !strings.HasPrefix(word, "-"); script && isFile(absolute(dir, path)) {
			files = append(files, absolute(dir, path))
			break // the other words are arguments of the script
		}
	}
	if slices.Contains(p.Fixed, "--no-project") {
		return files, nil
	}
	home, _ := os.UserHomeDir()
	for at := cmp.Or(project, dir); at != home && at != filepath.Dir(at); at = filepath.Dir(at) {
		if isFile(filepath.Join(at, "pyproject.toml")) {
			files = append(files, filepath.Join(at, "pyproject.toml"))
			if _, err := os.Stat(filepath.Join(at, ".venv")); err != nil {
				env = []string{"UV_PROJECT_ENVIRONMENT=" + filepath.Join(cache, "venv")}
			}
			break
		}
	}
	return files, env
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
