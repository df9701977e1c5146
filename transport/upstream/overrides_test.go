package upstream_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

func listed(names ...string) (tools []toolscript.Tool) {
	for _, name := range names {
		tools = append(tools, toolscript.Tool{Server: "s", Name: name, Description: "It is " + name + ".", Annotations: toolscript.Annotations{ReadOnly: new(false)}})
	}
	return tools
}

func namesOf(tools []toolscript.Tool) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

func TestPresentNames(t *testing.T) {
	for _, test := range []struct {
		name      string
		overrides map[string]string // by the name that the server uses
		want      string
		warned    []string // parts of the expected warnings
	}{
		{"none", nil, "a b c", nil},
		{"another name", map[string]string{"a": "x"}, "x b c", nil},
		{"two change places", map[string]string{"a": "b", "b": "a"}, "b a c", nil},
		{"all move on", map[string]string{"a": "b", "b": "c", "c": "a"}, "b c a", nil},
		{"the place of one that moves", map[string]string{"a": "b", "b": "x"}, "b x c", nil},
		{"a name that is taken", map[string]string{"a": "b"}, "a b c", []string{`names "a" "b"`}},
		{"a row of names, the last of which is taken", map[string]string{"a": "b", "b": "c"}, "a b c", []string{`names "b" "c"`, `names "a" "b"`}},
		{"one name for two", map[string]string{"a": "x", "b": "x"}, "a b c", []string{`names "a" "x"`, `names "b" "x"`}},
		{"no such tool", map[string]string{"z": "x"}, "a b c", []string{`has "z", and the server has no such tool`}},
		{"its own name", map[string]string{"a": "a"}, "a b c", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := upstream.Config{Overrides: map[string]toolscript.Override{}}
			for own, name := range test.overrides {
				c.Overrides[own] = toolscript.Override{Name: name}
			}
			all := listed("a", "b", "c")
			tools, warnings := c.Present("s", all)
			if got := namesOf(tools); got != test.want {
				t.Errorf("names = %s, want %s", got, test.want)
			}
			for i, tool := range tools {
				if diff := cmp.Diff(all[i], tool.Own()); diff != "" {
					t.Errorf("as the server lists it (-want +got):\n%s", diff)
				}
				if renamed := tool.Name != all[i].Name; renamed != (tool.Original != nil) {
					t.Errorf("%s: Original = %v", tool.Name, tool.Original)
				}
			}
			if len(warnings) != len(test.warned) {
				t.Fatalf("warnings = %q, want %q", warnings, test.warned)
			}
			for i, part := range test.warned {
				if !strings.Contains(warnings[i], part) {
					t.Errorf("warning %q, want %q", warnings[i], part)
				}
			}
		})
	}
}

// TestPresentParts checks which parts of a tool an override replaces, and that approvals follow
// the replaced hints.
func TestPresentParts(t *testing.T) {
	c := upstream.Config{Overrides: map[string]toolscript.Override{
		"a": {Description: "Better.", Annotations: toolscript.Annotations{ReadOnly: new(true)}},
		"b": {Annotations: toolscript.Annotations{ReadOnly: new(false)}}, // the hint of the server itself
	}}
	tools, warnings := c.Present("s", listed("a", "b"))
	want := toolscript.Tool{
		Server: "s", Name: "a", Description: "Better.", Annotations: toolscript.Annotations{ReadOnly: new(true)},
		Original: &toolscript.Original{Name: "a", Description: "It is a.", Annotations: toolscript.Annotations{ReadOnly: new(false)}},
	}
	if diff := cmp.Diff([]toolscript.Tool{want, listed("b")[0]}, tools); diff != "" || warnings != nil {
		t.Errorf("tools (-want +got):\n%s\n%q", diff, warnings)
	}
	if got := tools[0].Overridden(); got.Own != "a" || !slices.Equal(got.Parts, []string{"description", "annotations"}) {
		t.Errorf("Overridden = %+v", got)
	}
	ask := toolscript.Approvals{{Default: toolscript.ApprovalAskDestructive}}
	if one, other := ask.Decide(tools[0]), ask.Decide(tools[1]); one != toolscript.ApprovalAllow || other != toolscript.ApprovalAsk {
		t.Errorf("decisions = %s, %s", one, other)
	}
}

// TestOfferedIsByTheNamesOfTheServer checks that filters and reviews use the server's own names.
func TestOfferedIsByTheNamesOfTheServer(t *testing.T) {
	c := upstream.Config{
		Overrides: map[string]toolscript.Override{"a": {Name: "x"}, "b": {Name: "a"}, "c": {Name: "y"}}, ExcludeTools: []string{"a"},
	}
	tools, _ := c.Offered("s", listed("a", "b", "c"), func(own string) bool { return own == "c" })
	if got := namesOf(tools); got != "a" || tools[0].Original.Name != "b" {
		t.Errorf("offered %s", got)
	}
}
