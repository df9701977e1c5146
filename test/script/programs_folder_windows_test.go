package script_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// withPrograms runs tests with a folder of the programs in PATH. On Windows, testscript copies the whole test binary for each
// of them. Here they are hard links to one copy, which can be removed, because no program runs at the end.
type withPrograms struct{ m *testing.M }

// Run implements testscript.TestingM.
func (w withPrograms) Run() int {
	folder, err := os.MkdirTemp("", "programs")
	if err == nil {
		err = makePrograms(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "make the programs of the scripts:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }() // some systems cannot remove it, which must not fail the tests
	if err := os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return w.m.Run()
}

func makePrograms(folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	first := ""
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		path := filepath.Join(folder, name+".exe")
		switch {
		case first == "":
			first, err = path, copyFile(self, path)
		case name == agentProgram: // Wine takes the name of a process from any link to its file
			err = copyFile(self, path)
		default:
			err = os.Link(first, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	target, err := os.Create(to)
	if err != nil {
		return errors.Join(err, source.Close())
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close(), source.Close())
}
