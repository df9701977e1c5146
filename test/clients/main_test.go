//go:build proof && linux

package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/toolscript/toolscript/test/clients/model"
	"github.com/toolscript/toolscript/test/harness"
)

// built is the path of the program, and the folders contain Node and the MCP servers.
var built, nodeFolder, peers string

func TestMain(m *testing.M) { os.Exit(inFolder(m)) }

func inFolder(m *testing.M) int {
	dir, err := os.MkdirTemp("", "toolscript-clients-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	built = filepath.Join(dir, "toolscript")
	if err := harness.Build(built, false); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	nodeFolder, _ = filepath.Abs("../node_modules/node/bin")
	peers, _ = filepath.Abs("../node_modules/.bin")
	for _, path := range []string{nodeFolder, filepath.Join(peers, "mcp-server-everything")} {
		if _, err := os.Stat(path); err != nil {
			fmt.Fprintf(os.Stderr, "%v\nthe tests of clients need it: npm ci --prefix test\n", err)
			return 1
		}
	}
	code := m.Run()
	printTable()
	return code
}

// A row of the table contains a client and the outcome of each task.
type row struct {
	client, version string
	cells           map[string]string
}

var table struct {
	sync.Mutex
	rows []*row
}

// report adds the outcome of a task to the table.
func report(client, version string, t task, ok bool, c model.Conversation, does images) {
	table.Lock()
	defer table.Unlock()
	i := slices.IndexFunc(table.rows, func(r *row) bool { return r.client == client })
	if i < 0 {
		i = len(table.rows)
		table.rows = append(table.rows, &row{client, version, map[string]string{}})
	}
	cell := "FAILED"
	if ok {
		cell = fmt.Sprintf("%d turns", c.Turns)
		if c.Turns == 0 {
			cell = "no model"
		}
		if t.image && does != shown {
			cell += fmt.Sprintf(" (%s)", does)
		}
	}
	table.rows[i].cells[t.name] = cell
}

func printTable() {
	slices.SortFunc(table.rows, func(a, b *row) int { return strings.Compare(a.client, b.client) })
	var text strings.Builder
	text.WriteString("client\tversion")
	for _, t := range tasks {
		text.WriteString("\t" + t.name)
	}
	for _, r := range table.rows {
		text.WriteString("\n" + r.client + "\t" + r.version)
		for _, t := range tasks {
			text.WriteString("\t" + r.cells[t.name])
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, &text) // an error here cannot change the result of the tests
	_ = w.Flush()
}

// TestDocumentedVersions compares the table in docs/agents.md with the tested versions.
func TestDocumentedVersions(t *testing.T) {
	text, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]string{}
	for _, a := range agents {
		tested[a.name] = version(t, a.pkg)
	}
	for _, l := range node {
		tested[l.name] = version(t, l.pkg)
	}
	for _, l := range python {
		if tested[l.name], err = pinned(l); err != nil {
			t.Error(err)
		}
	}
	for name, version := range tested {
		if !strings.Contains(string(text), version) {
			t.Errorf("docs/agents.md does not have %s, the version of %s", version, name)
		}
	}
}

// version returns the version of a package that package.json pins.
func version(t *testing.T, pkg string) string {
	t.Helper()
	text, err := os.ReadFile("package.json")
	var file struct{ Dependencies map[string]string }
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Dependencies[pkg]
}
