package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLeft leaves a process, a file, a folder, and an allowed folder.
func TestLeft(t *testing.T) {
	p, err := newPlace()
	if err != nil {
		t.Fatal(err)
	}
	p.wait = 0
	for _, name := range []string{"home/.cache/dconf/user", "home/.cache/other/file", "tmp/file"} {
		file := filepath.Join(p.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "cat")
	cmd.Env = p.env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	_, _ = in.Write([]byte("x")) // when it comes back, the program runs and its environment can be read
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	left, err := p.left()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(left, "\n"); !strings.HasPrefix(got, "process ") || !strings.HasSuffix(got, ": cat\nhome/.cache/other/\ntmp/file") {
		t.Errorf("left:\n%s", got)
	}
	if _, err := os.Stat(p.dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}
