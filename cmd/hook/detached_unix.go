//go:build unix

package hook

import "syscall"

// detached starts a process in a session of its own, which no terminal ends.
var detached = &syscall.SysProcAttr{Setsid: true}
