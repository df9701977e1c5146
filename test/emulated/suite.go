// Package emulated compiles the tests of packages for another system, runs them there, and prints what ran and what
// did not, with the reasons. Other programs emulate the system: test/wine and test/arm64 call them.
package emulated

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A Suite is a package whose tests run on the system.
type Suite struct {
	Folder string
	Whole  bool              // without the short form
	Group  string            // test whose subtests Not names; "" if it names tests
	Files  string            // pattern of the files below Folder from which Group makes its subtests; each runs alone
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

// subtests returns the names of the subtests that run alone.
func (s Suite) subtests() (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(s.Folder, s.Files))
	if err == nil && len(files) == 0 {
		err = errors.New("there is no file " + s.Files)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if _, not := s.Not[name]; !not {
			names = append(names, name)
		}
	}
	return names, err
}
