package files

import "os"

// Own returns a path by which this process can start its own program. It never returns the
// path of another file, because all processes of a gateway must have the same version.
func Own() (string, error) {
	path, err := os.Executable()
	if err != nil || unchanged(path) {
		return path, err
	}
	return replaced(path)
}
