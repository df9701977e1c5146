//go:build unix

package mcpclient

import (
	"io"
	"syscall"
)

// immediate returns a function that writes the bytes that a pipe accepts without
// blocking. It does not report errors: the next blocking write returns them.
func immediate(to io.Writer) func([]byte) int {
	file, ok := to.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return nil
	}
	return func(message []byte) (n int) {
		_ = raw.Write(func(fd uintptr) bool {
			n, _ = syscall.Write(int(fd), message) // n is -1 after an error
			return true
		})
		return max(n, 0)
	}
}
