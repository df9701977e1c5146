//go:build !linux && !darwin

package api

import "syscall"

// disconnected is always false on this system, which cannot check the connection without
// reading from it. The next write or the deadline of the request ends the exchange.
func disconnected(syscall.RawConn) bool { return false }

// arrived returns false, because this system cannot check for unread input.
func arrived(syscall.RawConn) bool { return false }
