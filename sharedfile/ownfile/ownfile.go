// Package ownfile finds the file of this program, also after an update has replaced or removed
// it.
package ownfile

import "os"

// Path is the path by which this process starts its own program. The processes of one gateway
// must be of one version, so it never is the path of another file.
func Path() (string, error) {
	path, err := os.Executable()
	if err != nil || unchanged(path) {
		return path, err
	}
	return replaced(path)
}
