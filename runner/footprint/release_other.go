//go:build !linux

package footprint

// Release does nothing here.
func Release() {}
