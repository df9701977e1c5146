//go:build !linux

package proc

// ReleasePages does nothing on this system.
func ReleasePages() {}
