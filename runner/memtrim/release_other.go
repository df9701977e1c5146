//go:build !linux

package memtrim

// Release does nothing on this system.
func Release() {}
