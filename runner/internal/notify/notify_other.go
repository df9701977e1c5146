//go:build !linux

package notify

// Probe returns ErrNotHere: only Linux has user notification.
func Probe() error { return ErrNotHere }
