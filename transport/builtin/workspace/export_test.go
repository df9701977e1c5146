package workspace

import (
	"path"
	"strings"
)

// SetStep replaces the function that is called before each change of the disk.
func SetStep(f func()) { step = f }

// Sees reports whether a search sees a file: neither the file nor a folder between it and
// the searched folder is hidden or ignored.
func (f *Filter) Sees(name string) bool {
	isDir := false
	for at := name; at != f.top && at != "." && at != "/"; at = path.Dir(at) {
		if strings.HasPrefix(path.Base(at), ".") || f.ignored(at, isDir) {
			return false
		}
		isDir = true
	}
	return true
}
