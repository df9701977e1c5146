//go:build !linux

package worker

// unread returns false: only Linux reports at the write end how much a pipe holds.
func (*duplex) unread() bool { return false }
