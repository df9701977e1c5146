package upstream

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/toolscript/toolscript"
)

// LookPath finds a command in the PATH of the server's own environment.
func LookPath(command string, env []string) (string, error) {
	if filepath.Base(command) != command {
		return command, nil
	}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if !SameVariable(name, "PATH") {
			continue
		}
		for _, dir := range filepath.SplitList(value) {
			if !filepath.IsAbs(dir) {
				continue // "." in PATH would run programs of a project's folder
			}
			if found, err := exec.LookPath(filepath.Join(dir, command)); err == nil {
				return found, nil
			}
		}
	}
	return "", Lasting(`cannot start %q: no such command in PATH; install it, or give its full path as "command"`, command)
}

// Lasting returns an error that a retry cannot fix.
func Lasting(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Unavailable, Permanent: true, Err: fmt.Errorf(format, args...)}
}

// SetVariable sets a variable in an environment, and removes one whose name is the same.
func SetVariable(env map[string]string, name, value string) {
	maps.DeleteFunc(env, func(known, _ string) bool { return SameVariable(known, name) })
	env[name] = value
}

// SameVariable reports whether two names of variables are equal. Windows ignores their case.
func SameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
