//go:build !unix

package worker

// trusted is dir. Workers do not start on this system.
func trusted(dir string) string { return dir }
