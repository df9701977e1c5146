//go:build unix

package discovery

import (
	"os"
	"syscall"
)

// Stop asks the process to end. It returns nil if the process has ended already, and does
// not signal a later process with the same id.
func (p Process) Stop() error { return p.signal(syscall.SIGTERM, "stop") }

// Hangup sends SIGHUP, with the same checks as Stop.
func (p Process) Hangup() error { return p.signal(syscall.SIGHUP, "signal") }

// NotifyStop does nothing: Stop sends a signal.
func NotifyStop(chan<- os.Signal) {}

// detached starts a process in its own session, which no terminal ends.
var detached = &syscall.SysProcAttr{Setsid: true}
