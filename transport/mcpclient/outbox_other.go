//go:build !unix

package mcpclient

import "io"

// immediate returns nil: on this system a write to a pipe always may block.
func immediate(io.Writer) func([]byte) int { return nil }
