package files

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Newest returns the regular files of a folder whose names match, the newest first. It ignores
// errors: files that cannot be read are left out.
func Newest(dir string, matches func(name string) bool) []fs.FileInfo {
	var found []fs.FileInfo
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && matches(e.Name()) {
			found = append(found, info)
		}
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	return found
}

// KeepNewest keeps the newest files of a folder whose names match, and removes the others. It keeps at
// most number files, with at most size bytes together. Another process may remove files at the same
// time.
func KeepNewest(dir string, matches func(name string) bool, number int, size int64) {
	var total int64
	for i, f := range Newest(dir, matches) {
		if total += f.Size(); i >= number || total > size {
			_ = os.Remove(filepath.Join(dir, f.Name())) // another process may have been first
		}
	}
}
