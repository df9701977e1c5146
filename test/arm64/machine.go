//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/toolscript/toolscript/test/fixture/pace"
)

// machine runs programs for arm64. Each program runs in a user namespace with a table of binary formats of its own, in
// which QEMU is the interpreter of programs for arm64. So the kernel starts QEMU for them and for all their children,
// and nothing changes for other programs of the host. It runs in a namespace of processes too, which all end with it.
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
	m := &machine{folder: folder, qemu: qemu, env: append(os.Environ(), pace.Emulated)}
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

// factor measures how many times longer than usual a program for arm64 takes.
func (m *machine) factor() (float64, error) {
	program, output := filepath.Join(m.folder, "arm64"), filepath.Join(m.folder, "factor.txt")
	if _, err := os.Stat(program); err != nil {
		build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "./test/arm64") //nolint:gosec // this package
		build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return 0, err
		}
	}
	if err := m.run(context.Background(), ".", output, program, measure); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(output) //nolint:gosec // written by the program
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
}

// run runs a program and writes what it prints to a file.
func (m *machine) run(ctx context.Context, folder, output, program string, args ...string) error {
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
	cmd := exec.CommandContext(ctx, self, append([]string{inside, m.qemu, program}, args...)...) //nolint:gosec // a test program
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, m.env, file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Pdeathsig:   syscall.SIGKILL,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: ids}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: ids}},
	}
	return errors.Join(cmd.Run(), file.Close())
}
