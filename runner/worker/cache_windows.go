package worker

import "os"

// trusted returns dir, which it creates if necessary, or "" if that is not possible. Windows has no
// permission bits: the folder inherits the access list of the user's profile.
func trusted(dir string) string {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	return dir
}
