//go:build unix

package mcpclient

import (
	"io"
	"syscall"
)

// immediate returns a function that writes the bytes that a pipe accepts without
// blocking. It does not report errors: the next blocking write returns them. One
// goroutine at a time may call it.
func immediate(to io.Writer) func([]byte) int {
	file, ok := to.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return nil
	}
	var bytes []byte
	var n int
	once := func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), bytes) // n is -1 after an error
		return true
	}
	return func(message []byte) int {
		bytes, n = message, 0
		_ = raw.Write(once)
		bytes = nil
		return max(n, 0)
	}
}
