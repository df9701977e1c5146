//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// kernel runs programs for arm64 in an emulated machine with a kernel of its own, which has Landlock and filters of
// system calls.
type kernel struct {
	folder string
	qemu   string
	from   system
	init   string // the program of process 1
}

func newKernel(folder, release string) (*kernel, error) {
	qemu, err := exec.LookPath("qemu-system-aarch64")
	if err != nil {
		return nil, errors.New("qemu-system-aarch64 is missing; as root on Debian: apt-get install qemu-system-arm")
	}
	from, err := download(release)
	if err != nil {
		return nil, err
	}
	k := &kernel{folder: folder, qemu: qemu, from: from, init: filepath.Join(folder, "init")}
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", k.init, "./test/arm64") //nolint:gosec // this package
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	return k, build.Run()
}

// order is what process 1 does.
type order struct {
	Folder  string
	Command []string
}

// limit bounds one run.
const limit = 15 * time.Minute

// run boots the machine, runs a program there and writes what the machine prints to a file.
func (k *kernel) run(ctx context.Context, folder, output, program string, args ...string) error {
	files := filepath.Join(k.folder, "files")
	if err := k.pack(files, folder, program, args); err != nil {
		return err
	}
	file, err := os.Create(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "timeout", strconv.Itoa(int(limit.Seconds())), k.qemu, "-machine", "virt", "-cpu", "cortex-a72,pmu=off", //nolint:gosec // found in PATH
		"-smp", "2", "-m", "2G", "-display", "none", "-serial", "stdio", "-no-reboot", "-nic", "none",
		"-kernel", k.from.kernel(), "-initrd", files, "-append", "console=ttyAMA0 quiet oops=panic panic=-1 lsm=landlock rdinit=/begin")
	cmd.Stdout, cmd.Stderr = file, file
	return errors.Join(cmd.Run(), file.Close())
}

// pack writes the first files of the machine: process 1, the programs, and the test data.
func (k *kernel) pack(path, folder, program string, args []string) error {
	out, err := os.Create(path) //nolint:gosec // in the folder of this run
	if err != nil {
		return err
	}
	defer out.Close() //nolint:errcheck // a second time, after an error
	text, err := json.Marshal(order{Folder: "/source/" + folder, Command: append([]string{"/program"}, args...)})
	if err != nil {
		return err
	}
	a := &archive{out: out}
	errs := []error{
		a.folder("source/" + folder), a.tree(filepath.Join(folder, "testdata")), a.add("order.json", programMode, text),
		a.folder("etc"), a.add("etc/hostname", fileMode, []byte("arm64\n")), a.add("etc/passwd", fileMode, []byte("root:x:0:0:root:/root:/bin/sh\n")),
		a.folder("usr/bin"), a.folder("usr/lib"), a.folder("root"), a.add("bin", linkMode, []byte("usr/bin")), a.add("lib", linkMode, []byte("usr/lib")),
		a.add("usr/bin/sh", linkMode, []byte("bash")), // the shell of busybox would run its own commands without starting them
	}
	for name, file := range map[string]string{"begin": k.init, "program": program, "usr/bin/busybox": k.from.busybox(), "usr/bin/bash": k.from.bash()} {
		content, err := os.ReadFile(file) //nolint:gosec // built or fetched by this program
		errs = append(errs, err, a.add(name, programMode, content))
	}
	if err := errors.Join(append(errs, a.end(), out.Close())...); err != nil {
		return fmt.Errorf("the files of the machine: %w", err)
	}
	return nil
}
