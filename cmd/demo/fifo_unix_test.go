//go:build unix

package demo_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestNamedPipesDoNotBlock(t *testing.T) {
	dir := folder(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	c := connect(t, dir)
	if got, failure := call(t, c, "read_file", map[string]any{"path": "pipe"}); !strings.Contains(failure, "not a regular file") {
		t.Errorf("read_file(pipe) = %v, failure %q", got, failure)
	}
	if got, failure := call(t, c, "search_text", map[string]any{"pattern": "Hello"}); failure != "" {
		t.Errorf("search_text = %v, failure %q", got, failure)
	}
}
