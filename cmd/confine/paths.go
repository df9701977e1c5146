package confine

import (
	"os"
	"path/filepath"
	"strings"
)

// paths is a set of absolute, clean paths. A lookup takes time in proportion to the depth
// of a path, whatever the size of the set.
type paths struct {
	in    map[string]bool
	above map[string]bool // folders above the members of in
}

// add adds paths, which are absolute and clean.
func (s *paths) add(all ...string) {
	if s.in == nil {
		s.in, s.above = map[string]bool{}, map[string]bool{}
	}
	for _, path := range all {
		s.in[path] = true
		for up := range upward(filepath.Dir(path)) {
			if s.above[up] {
				break
			}
			s.above[up] = true
		}
	}
}

// cover reports whether a path is, or is below, a member of the set.
func (s *paths) cover(path string) bool {
	for up := range upward(path) {
		if s.in[up] {
			return true
		}
	}
	return false
}

// under reports whether a member of the set is, or is below, a folder.
func (s *paths) under(folder string) bool { return s.in[folder] || s.above[folder] }

// upward yields a path and the folders above it, the innermost first.
func upward(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for yield(path) {
			up := filepath.Dir(path)
			if up == path {
				return
			}
			path = up
		}
	}
}

// within reports whether a path is a folder or is in it. Both are absolute and clean.
func within(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// Resolve returns a path without links. If the path does not exist, it resolves the folders
// above it that exist.
func Resolve(path string) string {
	for up := range upward(filepath.Clean(path)) {
		if real, err := filepath.EvalSymlinks(up); err == nil {
			rest, err := filepath.Rel(up, path)
			if err != nil {
				return path
			}
			return filepath.Join(real, rest)
		}
	}
	return path
}

func exists(path string) (is, folder bool) {
	info, err := os.Stat(path)
	return err == nil, err == nil && info.IsDir()
}
