//go:build !linux

package landlock

// RestrictThread does nothing: Landlock is Linux's.
func RestrictThread(Access) error { return ErrNotHere }
