//go:build !linux

package hub

// Memory returns 0: only Linux is supported.
func Memory(int) int64 { return 0 }

// GroupMemory returns 0: only Linux is supported.
func GroupMemory(int) int64 { return 0 }
