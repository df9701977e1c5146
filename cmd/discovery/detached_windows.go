package discovery

import "syscall"

// detached starts a process without a console, so that Ctrl-C in this console does not reach it.
var detached = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | 0x8} // DETACHED_PROCESS
