package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// overlay writes a file for go test -overlay, and returns its path. It replaces one file of Go's library, which
// removes files with a call that Wine 8 lacks. The library has another way for systems without this call, but does
// not know the error of Wine, which is STATUS_NOT_IMPLEMENTED. The program for Windows is built without it.
func overlay(folder string) (path string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src/internal/syscall/windows/at_windows.go")
	text, err := os.ReadFile(source) //nolint:gosec // a file of Go
	if err != nil {
		return "", err
	}
	const known = "case STATUS_INVALID_INFO_CLASS,"
	if strings.Count(string(text), known) != 1 {
		return "", errors.New(source + " is another one than that of Go 1.26; see test/wine/overlay.go")
	}
	changed := filepath.Join(folder, "at_windows.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), known, "case NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,", 1)), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: changed}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}
