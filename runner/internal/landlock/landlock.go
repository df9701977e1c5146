// Package landlock restricts the files and ports of a program that a thread
// starts. Package confine restricts the calling process. Another program cannot be
// asked to confine itself, so the thread that starts it is restricted, and ends
// afterwards.
package landlock

import "errors"

// Access lists what a program may reach. Paths that do not exist are skipped.
type Access struct {
	Read    []string // files and folders to read, and to execute from
	Write   []string // files and folders to read and write
	Connect []uint16 // TCP ports, on any address: Landlock knows no addresses
	Network bool     // all TCP ports, to connect and to listen
}

// ErrNotHere means that the kernel has no Landlock, or that it is not enabled.
var ErrNotHere = errors.New("this system has no Landlock")
