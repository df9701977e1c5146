//go:build !linux

package files

import (
	"os"
	"path/filepath"
)

func open(dir, rel string) (*os.File, error) { return openPortably(dir, rel) }

// pathOf returns the path of an open file. It is less safe than on Linux: somebody could replace the file by a
// link before the path is used.
func pathOf(f *os.File) string { return realOf(f) }

func realOf(f *os.File) string {
	if real, err := filepath.EvalSymlinks(f.Name()); err == nil {
		if here, err := os.Stat(real); err == nil {
			if opened, err := f.Stat(); err == nil && os.SameFile(here, opened) {
				return real
			}
		}
	}
	return filepath.Join(f.Name(), "replaced") // the file was replaced after it was opened: this path leads nowhere
}
