//go:build unix

package tool

import "syscall"

// openFlags keep open from waiting for the other end of a pipe, and from making a terminal
// the controlling terminal.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
