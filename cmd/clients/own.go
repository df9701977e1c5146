package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Own returns the entry with which a client starts this program. configs become --config.
// The user's own files get the path of the program, because an editor has another PATH than
// the shell; the files of a project must work on every machine.
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
	if strings.Contains(filepath.ToSlash(self), "/_npx/") { // npm deletes that folder at some time
		args = append([]string{"-y", "toolscript"}, args...)
		if p.System == "windows" {
			return Entry{Command: "cmd", Args: append([]string{"/c", "npx"}, args...)}, nil
		}
		return Entry{Command: "npx", Args: args}, nil
	}
	return Entry{Command: p.installed(self), Args: args}, nil
}

// installed returns the path by which PATH leads to this program, because a package manager
// may keep each version in its own folder. It returns self if PATH does not lead there.
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
