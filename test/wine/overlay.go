package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// replacements are the lines of Go's library that the tests are compiled without, because of Wine 8. The program for
// Windows has them.
var replacements = []struct{ file, old, made string }{
	// Files are removed with a call that Wine lacks. Go has another way for systems without it, but does not know
	// the error of Wine, STATUS_NOT_IMPLEMENTED.
	{"internal/syscall/windows/at_windows.go", "case STATUS_INVALID_INFO_CLASS,", "case NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,"},
	// Go suspends threads to preempt goroutines. With Wine, such a thread sometimes stays suspended.
	{"runtime/os_windows.go", "const preemptMSupported = true", "const preemptMSupported = false"},
}

// overlay writes a file for go test -overlay, and returns its path.
func overlay(folder string) (path string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	files := map[string]string{}
	for _, r := range replacements {
		source := filepath.Join(strings.TrimSpace(string(root)), "src", r.file)
		text, err := os.ReadFile(source) //nolint:gosec // a file of Go
		if err != nil {
			return "", err
		}
		if strings.Count(string(text), r.old) != 1 {
			return "", errors.New(source + " is not that of Go 1.26; see test/wine/overlay.go")
		}
		files[source] = filepath.Join(folder, filepath.Base(r.file))
		if err := os.WriteFile(files[source], []byte(strings.Replace(string(text), r.old, r.made, 1)), 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}
