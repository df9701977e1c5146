package files

import (
	"os"
	"path/filepath"
	"strings"
)

// Absolute returns the absolute form of a path relative to dir, which is absolute. On Windows, \x begins at the root of
// the drive of dir, and C:x in the working folder of the drive C, which is dir if dir is on that drive.
func Absolute(dir, path string) string {
	volume := filepath.VolumeName(path)
	switch {
	case filepath.IsAbs(path):
		return path
	case volume == "" && path != "" && os.IsPathSeparator(path[0]):
		return filepath.VolumeName(dir) + filepath.Clean(path)
	case volume != "" && strings.EqualFold(volume, filepath.VolumeName(dir)):
		return filepath.Join(dir, path[len(volume):])
	case volume != "":
		if full, err := filepath.Abs(path); err == nil { // Windows knows the folder of another drive
			return full
		}
	}
	return filepath.Join(dir, path)
}
