//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// machine runs programs for arm64. Each program runs in a user namespace with a table of binary formats of its own, in
// which QEMU is the interpreter of programs for arm64. So the kernel starts QEMU for them and for all their children,
// and nothing changes for other programs of the host.
type machine struct {
	folder string // its home, its temporary files, and the programs that it runs
	qemu   string
	env    []string
}

func newMachine() (*machine, error) {
	qemu, err := find("qemu-aarch64-static", "qemu-aarch64")
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "arm64")
	if err != nil {
		return nil, err
	}
	m := &machine{folder: folder, qemu: qemu, env: os.Environ()}
	for variable, name := range map[string]string{"HOME": "home", "TMPDIR": "tmp"} {
		path := filepath.Join(folder, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			return nil, err
		}
		m.env = append(m.env, variable+"="+path)
	}
	return m, nil
}

func find(names ...string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("%s is missing; as root on Debian: apt-get install qemu-user-static", names[0])
}

// run runs a program and writes what it prints to a file.
func (m *machine) run(folder, output, program string, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	file, err := os.Create(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	ids := 1 // a user may only have a user of the namespace, who is root there
	if os.Getuid() == 0 {
		ids = 1 << 16
	}
	cmd := exec.Command(self, append([]string{inside, m.qemu, program}, args...)...) //nolint:gosec // it runs until its end; the tests have a limit
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, m.env, file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: ids}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: ids}},
	}
	return errors.Join(cmd.Run(), file.Close())
}
