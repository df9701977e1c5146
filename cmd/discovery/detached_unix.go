//go:build unix

package discovery

import "syscall"

// detached starts a process in its own session, which no terminal ends.
var detached = &syscall.SysProcAttr{Setsid: true}
