//go:build unix && !linux

package files

import "syscall"

const noWait = syscall.O_NONBLOCK
