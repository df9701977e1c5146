package naming_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/naming"
)

func TestNearest(t *testing.T) {
	names := []string{"createIssue", "listIssues", "größe", "getMe"}
	for name, want := range map[string][]string{
		"createIsue": {"createIssue"}, "ISSUE": {"listIssues", "createIssue"}, "große": {"größe"}, "zzzzzz": nil, "": nil,
	} {
		if got := naming.Nearest(name, names, 3); !slices.Equal(got, want) {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestNearestOfHugeNames looks up huge names, which a script can make. Comparing each
// of them with each name would take hours.
func TestNearestOfHugeNames(t *testing.T) {
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("tool_%d", i))
	}
	for _, name := range []string{strings.Repeat("x", 16<<20), strings.Repeat("\U0001F600", 4<<20), "tool_1" + strings.Repeat("1", 8<<20)} {
		if got := naming.Nearest(name, names, 3); len(got) > 0 {
			t.Errorf("Nearest = %q, want none", got)
		}
	}
}
