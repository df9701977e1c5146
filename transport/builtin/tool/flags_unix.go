//go:build unix

package tool

import "syscall"

// openFlags keep an open from waiting for the other end of a pipe, and from making a
// terminal the controlling one.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
