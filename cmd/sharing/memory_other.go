//go:build !linux

package sharing

// Memory is 0: it is read on Linux alone.
func Memory(int) int64 { return 0 }

// GroupMemory is 0: it is read on Linux alone.
func GroupMemory(int) int64 { return 0 }
