package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/clients"
)

// TestRemoveAccounts: accounts are removed, and the rest of the file stays as it is, with its comments.
func TestRemoveAccounts(t *testing.T) {
	for _, c := range []struct{ list, remove, left string }{
		{`["a", "b", "c"]`, "b", `["a", "c"]`},
		{`["a", "b", "c"]`, "a", `["b", "c"]`},
		{`["a","b","c",]`, "c", `["a","b",]`},
		{`["a", "b", "c"]`, "a c", `["b"]`},
		{"[\n  \"a\", // first\n  // the second\n  \"b\",\n  \"c\" // last\n]", "b", "[\n  \"a\", // first\n  // the second\n  \"c\" // last\n]"},
		{"[\n  \"a\",\n  \"b\" // last\n]", "b", "[\n  \"a\" // last\n]"},
		{"[\n  // first\n  \"a\", \"b\"]", "a", "[\n  // first\n   \"b\"]"},
		{"[\"a\", \"b\" /* b */,\n  // last\n  \"c\"]", "c a", "[\"b\" /* b */\n  // last\n  ]"},
		{`["a"]`, "a", ""},
	} {
		path := filepath.Join(t.TempDir(), "config.json")
		text := "{\n// servers\n\"mcpServers\": {\"s\": {\"accounts\": " + c.list + ", /* x */ \"url\": \"http://a.b/\"}}}\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var names []string
		for account := range strings.FieldsSeq(c.remove) {
			names = append(names, "s@"+account)
		}
		change, err := clients.RemoveServers(clients.File{Path: path, Root: filepath.Dir(path)}, names...)
		if c.left == "" {
			if err == nil || !strings.Contains(err.Error(), "a is the last account") {
				t.Errorf("%s without %s: %v", c.list, c.remove, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s without %s: %v", c.list, c.remove, err)
			continue
		}
		if _, err := (clients.Backups{Folder: t.TempDir(), Now: time.Now}).Apply("remove", []*clients.Change{change}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if want := strings.Replace(text, c.list, c.left, 1); err != nil || string(got) != want {
			t.Errorf("%s without %s:\n%s\nwant\n%s", c.list, c.remove, got, want)
		}
	}
}

// TestChangesAtOnce: of several changes that begin with the same text, one is written, and the others say that they were not.
func TestChangesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".toolscript.json")
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}, "c": {"command": "x"}, "d": {"command": "x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	backups := clients.Backups{Folder: filepath.Join(t.TempDir(), "backups"), Now: time.Now}
	var written atomic.Int32
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		change, err := clients.RemoveServers(clients.File{Path: path, Root: filepath.Dir(path)}, name)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			switch _, err := backups.Apply("remove", []*clients.Change{change}); {
			case err == nil:
				written.Add(1)
			case toolscript.KindOf(err) != toolscript.Conflict:
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	all.Wait()
	if n := written.Load(); n != 1 {
		t.Errorf("%d changes were written, want 1", n)
	}
}
