//go:build !unix

package worker

// trusted returns dir. Workers do not start on this system.
func trusted(dir string) string { return dir }
