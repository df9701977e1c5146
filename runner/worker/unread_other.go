//go:build !linux

package worker

// unread reports nothing: only Linux says at the write end what a pipe holds.
func (*duplex) unread() bool { return false }
