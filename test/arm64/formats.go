//go:build linux

package main

import (
	"fmt"
	"os"
	"syscall"
)

// inside is the first argument of this program in the namespace of one program for arm64.
const inside = "-inside"

// formats is the folder of the kernel's table of binary formats.
const formats = "/proc/sys/fs/binfmt_misc"

// format describes programs for arm64 by the first bytes of their files. The kernel opens the interpreter once, for the
// other roots of files too (F), and gives it the opened program (O), with its name (P) and its rights (C).
const format = `:aarch64:M::` +
	`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:` +
	`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:%s:POCF`

// begin prepares a namespace of users, mounts and processes, of which this is process 1: it has a table of formats and
// a folder /proc of its own. It runs the program there and returns its exit code.
func begin(qemu string, command []string) (code int, err error) {
	if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return 0, fmt.Errorf("/proc: %w", err)
	}
	if err := syscall.Mount("binfmt_misc", formats, "binfmt_misc", 0, ""); err != nil {
		return 0, fmt.Errorf("this kernel has no table of binary formats in a user namespace, which Linux 6.7 has: %w", err)
	}
	if err := os.WriteFile(formats+"/register", fmt.Appendf(nil, format, qemu), 0o600); err != nil {
		return 0, err
	}
	status, err := attend(command, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
	if status.Signaled() {
		return 0, fmt.Errorf("%s: %s", command[0], status.Signal())
	}
	return status.ExitStatus(), err
}
