// Package landlock restricts the files and ports of a program. Package confine restricts the
// calling process. Another program cannot be asked to confine itself, so the thread that
// starts or becomes the program is restricted.
package landlock

import "errors"

// Access lists what a program may access. Paths that do not exist are skipped.
type Access struct {
	Read    []string // files and folders to read, and to execute from
	Write   []string // files and folders to read and write
	Connect []uint16 // TCP ports to connect to, on all addresses: Landlock has no rules for addresses
	Network bool     // all TCP ports, to connect and to listen
}

// ErrNotHere means that the kernel has no Landlock, or that Landlock is not enabled.
var ErrNotHere = errors.New("this system has no Landlock")
