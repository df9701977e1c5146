//go:build !linux

package cli

import "io"

// terminalGone is unknown on this system: when the terminal closes, the gateway reloads,
// and the next signal ends it.
func terminalGone(io.Writer) bool { return false }
