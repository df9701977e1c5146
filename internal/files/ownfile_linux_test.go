package files_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
)

func init() {
	programs["parent"], programs["child"] = parent, child
}

func child() int {
	_, _ = os.Stdout.WriteString("the same program\n") // after an error, the test misses the line
	return 0
}

// parent starts its own program again when a line arrives on standard input.
func parent() int {
	_, _ = os.Stdout.WriteString("running\n")
	_, _ = os.Stdin.Read(make([]byte, 1)) // the end of the input counts too
	path, err := files.Own()
	if err != nil {
		_, _ = os.Stdout.WriteString(err.Error())
		return 1
	}
	c := exec.Command(path) //nolint:gosec // this program
	c.Env, c.Stdout = []string{"PROGRAM_TEST=child"}, os.Stdout
	if err := c.Run(); err != nil {
		_, _ = os.Stdout.WriteString(err.Error())
		return 1
	}
	return 0
}

// TestPath: a process starts its own program after its file was removed, and after another one
// took its place.
func TestPath(t *testing.T) {
	for name, update := range map[string]func(path string) error{
		"unchanged": func(string) error { return nil },
		"removed":   os.Remove,
		"replaced": func(path string) error {
			if err := os.WriteFile(path+".new", []byte("#!/bin/sh\necho another program\n"), 0o700); err != nil { //nolint:gosec // it is executed
				return err
			}
			return os.Rename(path+".new", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			self, err := os.ReadFile(os.Args[0])
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(path, self, 0o700); err != nil { //nolint:gosec // it is executed
				t.Fatal(err)
			}
			c := exec.CommandContext(t.Context(), path)
			c.Env = []string{"PROGRAM_TEST=parent"}
			stdin, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			begun := make([]byte, len("running\n"))
			if _, err := stdout.Read(begun); err != nil {
				t.Fatal(err)
			}
			if err := update(path); err != nil {
				t.Fatal(err)
			}
			_ = stdin.Close() // lets parent continue
			var rest strings.Builder
			buffer := make([]byte, 1<<10)
			for n, err := stdout.Read(buffer); err == nil; n, err = stdout.Read(buffer) {
				rest.Write(buffer[:n])
			}
			if err := c.Wait(); err != nil || rest.String() != "the same program\n" {
				t.Errorf("%v, %q", err, rest.String())
			}
		})
	}
}
