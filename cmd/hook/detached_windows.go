package hook

import "syscall"

// detached starts a process without a console, which Ctrl-C of this one does not reach.
var detached = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | 0x8} // DETACHED_PROCESS
