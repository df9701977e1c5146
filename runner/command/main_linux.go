package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/confine"
)

// devices are the files in /dev that any program may write to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full"}

// Confinement reports which restrictions are active for programs on this machine.
func Confinement() []toolscript.Confinement {
	files := confine.Kernel()
	files.Name = filesName
	return []toolscript.Confinement{files}
}

// start starts the program through the second helper, which restricts itself and becomes the
// program. This process must not restrict a thread of its own and fork from it: Landlock lets
// processes with equal restrictions trace and signal each other, so the program could attack
// that thread.
func (o order) start(cmd *exec.Cmd, temp string) (*exec.Cmd, []toolscript.Confinement, error) {
	self, err := files.Own()
	if err != nil {
		return nil, nil, err
	}
	order, toHelper, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer toHelper.Close() //nolint:errcheck // already closed
	fromHelper, report, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, order.Close())
	}
	defer fromHelper.Close() //nolint:errcheck // only read
	started := &exec.Cmd{
		Path: self, Args: []string{self, Command, become}, Env: os.Environ(), Dir: cmd.Dir,
		Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr, ExtraFiles: []*os.File{order, report}, SysProcAttr: cmd.SysProcAttr,
	}
	err = started.Start()
	_, _ = order.Close(), report.Close() // the child has its own copies
	if err != nil {
		return nil, nil, err
	}
	write := append(append([]string{o.Root, temp}, devices...), o.Writable...)
	p := program{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Write: ofThisProcess(write), Network: o.Network}
	err = json.NewEncoder(toHelper).Encode(p)
	_ = toHelper.Close() // after an error the helper reports that it could not read
	var got becoming
	if err == nil {
		err = got.read(fromHelper)
	}
	if err != nil {
		kill(started.Process.Pid)
		_ = started.Wait() // err is more specific
		return nil, nil, err
	}
	return started, got.Confinement, nil
}

// ofThisProcess replaces /proc/self in paths by the folder of this process, for a child.
func ofThisProcess(paths []string) []string {
	for i, path := range paths {
		if descriptor, held := strings.CutPrefix(path, "/proc/self/"); held {
			paths[i] = "/proc/" + strconv.Itoa(os.Getpid()) + "/" + descriptor
		}
	}
	return paths
}

// adoptOrphans makes this process the parent of descendants whose parent ends. It fails
// before Linux 3.4.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// awaitExit waits for the end of a child without reaping it.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// endDescendants kills children until there is none. When a child ends, its own children
// become children of this process.
func endDescendants() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR), pid > 0:
			continue
		case err != nil: // ECHILD
			return
		}
		killChildren()
		time.Sleep(time.Millisecond) // gives the kernel time to end them
	}
}

// killChildren kills the processes whose parent is this one.
func killChildren() {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	self := strconv.Itoa(os.Getpid())
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// The name of the program is in parentheses and may contain any characters.
		_, rest, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
		if fields := bytes.Fields(rest); len(fields) > 1 && string(fields[1]) == self {
			_ = syscall.Kill(pid, syscall.SIGKILL) // a child that has not been reaped keeps its number
		}
	}
}
