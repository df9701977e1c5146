package app

import "path/filepath"

// Absolute returns the absolute form of a path relative to dir.
func Absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
