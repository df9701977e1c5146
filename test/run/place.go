package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A place is a home folder and a folder for temporary files in which the tests run, so that they neither
// see nor change those of the user. Afterwards both must be empty, and no process may be left.
type place struct {
	dir  string
	env  []string
	wait time.Duration // how long to wait for processes that are ending
}

// allowed maps paths below the folder that tests may leave to the reason.
var allowed = map[string]string{
	"home/.cache/toolscript-tests": "the compiled engine, which all test programs use",
	"home/.cache/dconf":            "Chromium",
	"home/.config/chromium":        "Chromium: reports of crashes, wherever its profile is",
	"home/.config/go":              "counters of the go command",
	"tmp/node-compile-cache":       "npm",
}

// newPlace creates the folders. The caches of Go and npm stay where they are.
func newPlace() (*place, error) {
	dir, err := os.MkdirTemp("", "ts")
	if err != nil {
		return nil, err
	}
	p := &place{dir: dir, env: os.Environ(), wait: 10 * time.Second}
	keep, err := caches()
	if err != nil {
		return nil, err
	}
	for name, value := range keep {
		p.env = append(p.env, name+"="+value)
	}
	p.env = append(p.env, "GORACE=atexit_sleep_ms=50") // otherwise the race detector delays the end of each process by a second
	for variable, folder := range map[string]string{"HOME": "home", "TMPDIR": "tmp"} {
		path := filepath.Join(dir, folder)
		if err := os.Mkdir(path, 0o700); err != nil {
			return nil, err
		}
		p.env = append(p.env, variable+"="+path)
	}
	return p, nil
}

// caches returns the environment variables that name the caches and settings of Go, git and npm.
func caches() (map[string]string, error) {
	found := map[string]string{}
	out, err := exec.Command("go", "env", "-json", "GOENV", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	for _, key := range []string{"cache", "userconfig"} {
		if out, err := exec.Command("npm", "config", "get", key).Output(); err == nil { // without npm, fewer tests run
			found["npm_config_"+key] = strings.TrimSpace(string(out))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		found["GIT_CONFIG_GLOBAL"] = filepath.Join(home, ".gitconfig")
	}
	return found, nil
}

// left removes the folders and returns what the tests have left: processes, and files that are not allowed.
func (p *place) left() ([]string, error) {
	found := processes(p.dir)
	for until := time.Now().Add(p.wait); len(found) > 0 && time.Now().Before(until); found = processes(p.dir) {
		time.Sleep(100 * time.Millisecond)
	}
	err := filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(p.dir, path)
		if err != nil {
			return err
		}
		switch {
		case allowed[name] != "":
			return fs.SkipDir
		case slices.Contains([]string{".", "home", "tmp", "home/.cache", "home/.config"}, name):
			return nil
		case entry.IsDir():
			found = append(found, name+string(filepath.Separator))
			return fs.SkipDir
		}
		found = append(found, name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, os.RemoveAll(p.dir)
}

// processes describes the processes whose program, folder or environment is below dir.
func processes(dir string) (found []string) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil // this system has no /proc, and no tests that start processes
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		at := filepath.Join("/proc", e.Name())
		exe, _ := os.Readlink(filepath.Join(at, "exe"))
		cwd, _ := os.Readlink(filepath.Join(at, "cwd"))
		env, _ := os.ReadFile(filepath.Join(at, "environ"))
		if strings.HasPrefix(exe, dir) || strings.HasPrefix(cwd, dir) || bytes.Contains(env, []byte(dir)) {
			args, _ := os.ReadFile(filepath.Join(at, "cmdline"))
			found = append(found, "process "+e.Name()+": "+strings.TrimSpace(string(bytes.ReplaceAll(args, []byte{0}, []byte{' '}))))
		}
	}
	return found
}
