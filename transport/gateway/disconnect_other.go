//go:build !linux && !darwin

package gateway

import "syscall"

// disconnected cannot be told here without taking bytes from the stream: a
// client that leaves is noticed at the next write, or at the request's deadline.
func disconnected(syscall.RawConn) bool { return false }
