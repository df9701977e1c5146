//go:build !linux

package landlock

// RestrictThread returns ErrNotHere: only Linux has Landlock.
func RestrictThread(Access) error { return ErrNotHere }
