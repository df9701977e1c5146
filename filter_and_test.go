package toolscript_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
)

// The servers and tools of these tests have names that are easily confused.
var (
	confusedServers = []string{"a", "a__b", "git", "github", "ax"}
	confusedTools   = []string{"b", "b__c", "c", "x", "get_it", "*"}
)

func confused() (tools []toolscript.Tool) {
	for _, server := range confusedServers {
		for _, name := range confusedTools {
			tools = append(tools, toolscript.Tool{Server: server, Name: name})
		}
	}
	return tools
}

var someEntries = []string{
	"a", "a__b", "a__b__c", "a__*", "a*", "*", "git*", "github", "github__get_*", "*__get_*", "*__get_it", "g?t", "git__x", "nobody", "ax__?", "a__b__*",
}

// TestAndSelectsWhatBothSelect compares And with the conjunction, for all pairs of lists of
// up to two entries, and of three lists.
func TestAndSelectsWhatBothSelect(t *testing.T) {
	filters := []toolscript.Filter{nil, {}}
	for i, entry := range someEntries {
		filters = append(filters, toolscript.Filter{entry}, toolscript.Filter{entry, someEntries[(i+5)%len(someEntries)]})
	}
	tools := confused()
	for i, f := range filters {
		for j, g := range filters {
			h := filters[(i+2*j)%len(filters)]
			both, three := f.And(g), f.And(g).And(h)
			m := three.Matcher()
			for _, tool := range tools {
				if got, want := both.Match(tool), f.Match(tool) && g.Match(tool); got != want {
					t.Fatalf("%q and %q are %q: Match(%s, %s) = %v, want %v", f, g, both, tool.Server, tool.Name, got, want)
				}
				want := f.Match(tool) && g.Match(tool) && h.Match(tool)
				if got := three.Match(tool); got != want || m.Match(tool.Server, tool.ID()) != want {
					t.Fatalf("%q and %q and %q are %q: Match(%s, %s) = %v, want %v", f, g, h, three, tool.Server, tool.Name, got, want)
				}
				if want && (!three.Reaches(tool.Server) || !three.Covers(tool.ID()) || !three.SharesServer(tool.ID())) {
					t.Fatalf("%q selects %s: Reaches = %v, Covers = %v, SharesServer = %v", three, tool.ID(), three.Reaches(tool.Server), three.Covers(tool.ID()), three.SharesServer(tool.ID()))
				}
			}
		}
	}
}

// TestAndIsShort checks that And leaves out pairs of entries that have no tool in common, and
// that a name replaces a pattern that matches it.
func TestAndIsShort(t *testing.T) {
	for _, test := range []struct{ one, other, want string }{
		{"github", "github", "github"},
		{"github", "files", "(none)"},
		{"github__x", "files__*", "(none)"},
		{"github*", "git__x", "(none)"},
		{"github", "github__get_*", "github ∩ github__get_*"},
		{"*", "github__get_*", "github__get_*"},
		{"git*", "github", "github"},
		{"github__get_*", "github__get_it", "github__get_it"},
		{"github", "github__x", "github ∩ github__x"},
		{"a,b", "b,c", "b"},
		{"$resources", "github", "$resources ∩ github"},
	} {
		got := toolscript.ParseFilter(test.one).And(toolscript.ParseFilter(test.other)).String()
		if got != test.want {
			t.Errorf("%s and %s are %s, want %s", test.one, test.other, got, test.want)
		}
		if again := toolscript.ParseFilter(test.other).And(toolscript.ParseFilter(test.one)).String(); again != test.want {
			t.Errorf("%s and %s are %s, want %s", test.other, test.one, again, test.want)
		}
	}
	if got := (toolscript.Filter{}).And(nil); got == nil || len(got) != 0 {
		t.Errorf("nothing and everything are %q", got)
	}
}

// TestAndIsNotForged checks that the name of a tool cannot look like two entries.
func TestAndIsNotForged(t *testing.T) {
	f := toolscript.Filter{"s"}.And(toolscript.Filter{"s__delete"})
	forged := toolscript.Tool{Server: "x", Name: "y"}
	for _, tool := range []toolscript.Tool{{Server: f[0], Name: "y"}, {Server: "s", Name: strings.TrimPrefix(f[0], "s__")}} {
		if f.Match(tool) || f.Matcher().Match(tool.Server, tool.ID()) {
			t.Errorf("%q selects %q", f, tool.ID())
		}
	}
	if f.Match(forged) || !f.Match(toolscript.Tool{Server: "s", Name: "delete"}) {
		t.Errorf("%q selects others", f)
	}
}

// TestAndOfResources checks which servers a request for resources may reach.
func TestAndOfResources(t *testing.T) {
	f := toolscript.Filter{"$resources", "files__read"}.And(toolscript.Filter{"github", "files"})
	for server, want := range map[string]bool{"github": true, "files": true, "other": false} {
		if got := (toolscript.FetchRequest{ID: toolscript.ReadResource, Allow: f}).Admits(server); got != want {
			t.Errorf("%q: Admits(%s) = %v, want %v", f, server, got, want)
		}
	}
}

// FuzzFilterAnd compares And with the conjunction for arbitrary entries.
func FuzzFilterAnd(f *testing.F) {
	for _, one := range someEntries {
		f.Add(one, "github__get_*", "a__b", "c")
	}
	f.Fuzz(func(t *testing.T, one, other, server, name string) {
		all := one + "|" + other + "|" + server + "|" + name
		if strings.Contains(all, "∩") || !utf8.ValidString(all) { // names come from JSON
			return
		}
		a, b := toolscript.Filter{one}, toolscript.Filter{other}
		both, tool := a.And(b), toolscript.Tool{Server: server, Name: name}
		if got, want := both.Match(tool), a.Match(tool) && b.Match(tool); got != want {
			t.Errorf("%q and %q are %q: Match(%q, %q) = %v, want %v", a, b, both, server, name, got, want)
		}
		if back := b.And(a); !slices.Equal(back, both) {
			t.Errorf("%q and %q are %q and %q", a, b, both, back)
		}
	})
}
