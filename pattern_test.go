package toolscript_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

func TestMayMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, prefix string
		want            bool
	}{
		{"github__create_issue", "github__", true},
		{"github__create_issue", "gitlab__", false},
		{"github", "github__", false},
		{"git*", "github__", true},
		{"*issue", "github__", true},
		{"git???__x", "github__", true},
		{"git??__x", "github__", false},
		{"*b__*", "github__", true},
		{"", "", true},
		{"", "a", false},
		{"**a", "bbb", true},
	} {
		if got := toolscript.MayMatch(tt.pattern, tt.prefix); got != tt.want {
			t.Errorf("MayMatch(%q, %q) = %v", tt.pattern, tt.prefix, got)
		}
	}
}

// FuzzMayMatch: a pattern that matches a name may match each beginning of the name.
func FuzzMayMatch(f *testing.F) {
	f.Add("a*b?", "aXXbc")
	f.Add("*", "")
	f.Add("?", "ä")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(name) > 50 || len(pattern) > 50 {
			return
		}
		name = strings.ToValidUTF8(name, "")
		if !toolscript.MatchName(pattern, name) {
			return
		}
		for i := range name {
			if !toolscript.MayMatch(pattern, name[:i]) {
				t.Fatalf("%q matches %q, and not the beginning %q", pattern, name, name[:i])
			}
		}
	})
}
