//go:build unix && !linux

package beneath

import "syscall"

const noWait = syscall.O_NONBLOCK
