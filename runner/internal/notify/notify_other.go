//go:build !linux

package notify

// Probe returns ErrNotHere: user notification is Linux's.
func Probe() error { return ErrNotHere }
