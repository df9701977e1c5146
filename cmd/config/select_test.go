package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/transport/upstream"
)

func TestSelects(t *testing.T) {
	for _, test := range []struct {
		name             string
		include, exclude []string
		selected, others []string
	}{
		{"no lists", nil, nil, []string{"", "read", "*"}, nil},
		{"include", []string{"read", "list_*"}, nil, []string{"read", "list_", "list_issues"}, []string{"Read", "read2", "relist_x", ""}},
		{"exclude", nil, []string{"delete_*", "admin/*"}, []string{"read", "admin"}, []string{"delete_repository", "admin/users/drop"}},
		{"include first, then exclude", []string{"*_issue"}, []string{"delete_issue"}, []string{"get_issue"}, []string{"delete_issue", "get"}},
		{"question mark is one character", []string{"?a", "工?"}, nil, []string{"aa", "äa", "工具"}, []string{"a", "aaa", "工"}},
		{"several stars", []string{"*a*b*c"}, nil, []string{"abc", "xaxbxabc"}, []string{"acb", "abcd"}},
		{"other characters mean themselves", []string{"[ab]", `a\b`}, nil, []string{"[ab]", `a\b`}, []string{"a", "b", "ab"}},
		{"a star in a name", []string{"a*"}, nil, []string{"a*", "ab"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := upstream.Config{IncludeTools: test.include, ExcludeTools: test.exclude}
			for _, tool := range test.selected {
				if !c.Selects(tool) {
					t.Errorf("Selects(%q) = false, want true", tool)
				}
			}
			for _, tool := range test.others {
				if c.Selects(tool) {
					t.Errorf("Selects(%q) = true, want false", tool)
				}
			}
		})
	}
}

func TestSelectsIsNotExponential(t *testing.T) {
	c := upstream.Config{IncludeTools: []string{strings.Repeat("*a", 200) + "b"}}
	if c.Selects(strings.Repeat("a", 2000)) {
		t.Error("selected without its last letter")
	}
}

func TestUnmatched(t *testing.T) {
	c := upstream.Config{IncludeTools: []string{"read", "raed", "x*"}, ExcludeTools: []string{"delete_*", "raed", "gone"}}
	got := c.Unmatched([]string{"read", "delete_all"})
	if diff := cmp.Diff([]string{"raed", "x*", "gone"}, got); diff != "" {
		t.Errorf("Unmatched (-want +got):\n%s", diff)
	}
}

func TestConfigPrintsNoSecret(t *testing.T) {
	c := upstream.Config{Type: upstream.Stdio, Env: map[string]string{"T": "hunter2"}, Headers: map[string]string{"A": "hunter2"}, Args: []string{"hunter2"}}
	for _, text := range []string{fmt.Sprintf("%v", c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c), c.LogValue().String()} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("%q shows a secret", text)
		}
	}
}
