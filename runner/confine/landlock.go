package confine

import "errors"

// LandlockAccess lists what a program may access. Paths that do not exist are skipped.
type LandlockAccess struct {
	Read    []string // files and folders to read, and to execute from
	Write   []string // files and folders to read and write
	Connect []uint16 // TCP ports to connect to, on all addresses: Landlock has no rules for addresses
	Network bool     // all TCP ports, to connect and to listen
}

// ErrNoLandlock means that the kernel has no Landlock, or that Landlock is not enabled.
var ErrNoLandlock = errors.New("this system has no Landlock")
