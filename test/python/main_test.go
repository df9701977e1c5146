//go:build proof && linux

package python

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/toolscript/toolscript/test/fixture/python"
	"github.com/toolscript/toolscript/test/harness"
)

// built is the path of the program.
var built string

func TestMain(m *testing.M) { os.Exit(inFolder(m)) }

func inFolder(m *testing.M) int {
	if err := python.Missing(); err != nil {
		fmt.Println("NOT RUN: the tests of Python servers:", err)
		return 0
	}
	dir, err := os.MkdirTemp("", "toolscript-python-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	built = filepath.Join(dir, "toolscript")
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	printTable()
	return code
}

// prepare builds the program and installs what the servers need.
func prepare() error {
	files, err := locks()
	if err != nil {
		return err
	}
	if _, err := python.Wheels(files...); err != nil {
		return err
	}
	return harness.Build(built, false)
}

var proofs = []string{"connect", "tools", "types", "script", "idle", "killed", "confined", "shared"}

// table contains the outcome of each proof by server.
var table = struct {
	sync.Mutex
	cells map[string]map[string]string
}{cells: map[string]map[string]string{}}

// reports adds the outcome of a proof of a server to the table, when the test ends.
func reports(t *testing.T, server, proof, outcome string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			outcome = failed
		}
		table.Lock()
		defer table.Unlock()
		if table.cells[server] == nil {
			table.cells[server] = map[string]string{}
		}
		if table.cells[server][proof] == "" || t.Failed() { // a proof may have several rounds; the last outcome is added first
			table.cells[server][proof] = outcome
		}
	})
}

const failed = "FAILED"

func printTable() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "server\t"+strings.Join(proofs, "\t")) // an error here cannot change the result of the tests
	for _, name := range slices.Sorted(maps.Keys(table.cells)) {
		row := []string{name}
		for _, proof := range proofs {
			row = append(row, table.cells[name][proof])
		}
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	_ = w.Flush()
}
