//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

// process1 runs in the machine as process 1: it runs the program of the order, waits for all processes that end, and turns the
// machine off.
func process1() {
	if err := serve(); err != nil {
		fmt.Println("test/arm64:", err)
	}
	_ = syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF) // it does not return
}

func serve() error {
	for at, kind := range map[string]string{"/proc": "proc", "/sys": "sysfs", "/dev": "devtmpfs", "/tmp": "tmpfs"} {
		if err := errors.Join(os.MkdirAll(at, 0o755), syscall.Mount(kind, at, kind, 0, "")); err != nil { //nolint:gosec // as on any system
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	if err := os.Chmod("/tmp", 0o1777); err != nil { //nolint:gosec // as on any system
		return err
	}
	if out, err := exec.Command("/usr/bin/busybox", "--install", "/usr/bin").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if err := raise("lo"); err != nil {
		return err
	}
	text, err := os.ReadFile("/order.json")
	if err != nil {
		return err
	}
	var o order
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	status, err := attend(o.Command, &syscall.ProcAttr{
		Dir: o.Folder, Env: []string{"HOME=/root", "PATH=/usr/bin:/bin", "TMPDIR=/tmp"}, Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err == nil {
		fmt.Println("the program ended with code", status.ExitStatus())
	}
	return err
}

// attend runs a program and waits for all processes that end, until the program has ended.
func attend(command []string, attr *syscall.ProcAttr) (status syscall.WaitStatus, err error) {
	pid, err := syscall.ForkExec(command[0], command, attr)
	for ended := 0; err == nil && ended != pid; {
		if ended, err = syscall.Wait4(-1, &status, 0, nil); errors.Is(err, syscall.EINTR) {
			err = nil
		}
	}
	return status, err
}

// raise turns a network interface on.
func raise(name string) error {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(socket) //nolint:errcheck // the machine ends
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP}
	copy(request.name[:], name)
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); errno != 0 { //nolint:gosec // the call takes an address
		return fmt.Errorf("%s: %w", name, errno)
	}
	return nil
}
