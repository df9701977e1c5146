// Package landlock takes files and ports from what a thread starts. Package wall
// does the same for a whole process, once and for itself; here the process is
// another program, which cannot be asked to put up a wall, and the thread that
// starts it is thrown away.
package landlock

import "errors"

// Access is what is left. A path that is not there is left out.
type Access struct {
	Read    []string // files and folders to read, and to execute from
	Write   []string // files and folders to read and write
	Connect []uint16 // TCP ports, on any address: Landlock knows no addresses
}

// ErrNotHere says that the kernel has no Landlock, or that it is not enabled.
var ErrNotHere = errors.New("this system has no Landlock")
