// Package emulated compiles the tests of packages for another system, runs them there, and prints what ran and what
// did not, with the reasons. Other programs emulate the system: test/wine and test/arm64 call them.
package emulated

import (
	"maps"
	"slices"
	"strings"
)

// A Suite is a package whose tests run on the system.
type Suite struct {
	Folder string
	Whole  bool              // without the short form
	Group  string            // test whose subtests Not names; "" if it names tests
	Not    map[string]string // what cannot run, with the reason
}

// skip returns the pattern of the tests that do not run.
func (s Suite) skip() string {
	names := "^(" + strings.Join(slices.Sorted(maps.Keys(s.Not)), "|") + ")$"
	if s.Group == "" {
		return names
	}
	return "^" + s.Group + "$/" + names
}
