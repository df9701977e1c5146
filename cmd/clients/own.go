package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Own is how a client starts this program, with --config if there are configs. An editor
// has another PATH than the shell, so the user's own files get the path of the program;
// those of a project are for every machine.
func (p Places) Own(project bool, configs []string) (Entry, error) {
	args := []string{"mcp"}
	if len(configs) > 0 {
		args = append(args, "--config", strings.Join(configs, ","))
	}
	if project {
		return Entry{Command: "toolscript", Args: args}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return Entry{}, fmt.Errorf("the path of this program is unknown: %w", err)
	}
	if strings.Contains(filepath.ToSlash(self), "/_npx/") { // npm deletes that folder some day
		args = append([]string{"-y", "toolscript"}, args...)
		if p.System == "windows" {
			return Entry{Command: "cmd", Args: append([]string{"/c", "npx"}, args...)}, nil
		}
		return Entry{Command: "npx", Args: args}, nil
	}
	return Entry{Command: p.installed(self), Args: args}, nil
}

// installed is the path by which PATH leads to this program: a package manager may
// keep each version in a folder of its own. It is self if PATH does not.
func (p Places) installed(self string) string {
	own, err := os.Stat(self)
	if err != nil {
		return self
	}
	name := "toolscript"
	if p.System == "windows" {
		name += ".exe"
	}
	for _, folder := range filepath.SplitList(p.env("PATH")) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); filepath.IsAbs(path) && err == nil && os.SameFile(own, info) {
			return path
		}
	}
	return self
}
