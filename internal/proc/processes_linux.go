package proc

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc on every architecture of Linux.
const clockTick = 10 * time.Millisecond

// process is one process of a start.
type process struct {
	pid, parent, group int
	cpu                time.Duration // CPU time, including children that have ended
	io                 uint64
}

// processes returns the process leader, its descendants and the members of its group; nil
// if the system does not show them.
func processes(leader int) map[int]process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	all := map[int]process{}
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if p, known := read(pid); known {
				all[pid] = p
			}
		}
	}
	if _, known := all[os.Getpid()]; !known {
		return nil // /proc belongs to another name space, or hides processes
	}
	tree := map[int]process{}
	for added := true; added; {
		added = false
		for pid, p := range all {
			_, child := tree[p.parent]
			if pid != leader && p.group != leader && !child {
				continue
			}
			delete(all, pid)
			p.io = transferred(pid)
			tree[pid], added = p, true
		}
	}
	return tree
}

// read reads /proc/PID/stat. It counts fields from the end of the process name, because the name
// may contain spaces.
func read(pid int) (process, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 15 {
		return process{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(fields[i]) // an invalid field counts as 0
		return n
	}
	ticks := number(11) + number(12) + number(13) + number(14) // utime, stime, cutime, cstime
	return process{pid: pid, parent: number(1), group: number(2), cpu: time.Duration(ticks) * clockTick}, true
}

// transferred returns how many bytes a process has read and written; 0 if that is not known.
func transferred(pid int) (total uint64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid)) // empty for a process that has ended
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), ": "); name == "rchar" || name == "wchar" {
			n, _ := strconv.ParseUint(value, 10, 64) // an invalid field counts as 0
			total += n
		}
	}
	return total
}

// args returns the command line of the process. If the process has set a title, args returns it as one
// argument.
func (p process) args() []string {
	return CommandLine(p.pid)
}

// CommandLine returns the arguments of a process, the name of the program first, or nil if they are unknown. It leaves out
// what the user mode emulation of QEMU adds: its own name, and the name of the program a second time.
func CommandLine(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(text) == 0 { // the process has ended
		return nil
	}
	args := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	if len(args) > 1 && strings.HasPrefix(path.Base(args[0]), "qemu-") {
		args = args[1:]
		if len(args) > 1 && path.Base(args[0]) == path.Base(args[1]) { // with some settings of QEMU, the name follows its path
			args = slices.Delete(args, 1, 2)
		}
	}
	return args
}

// holds reports whether the process has a descriptor of the pipe. It checks all descriptors, because
// some programs move their standard output to another number, so that stray prints do not reach it.
func (p process) holds(pipe string) bool {
	folder := fmt.Sprintf("/proc/%d/fd", p.pid)
	entries, _ := os.ReadDir(folder) // empty for a process that has ended
	for _, entry := range entries {
		if target, err := os.Readlink(folder + "/" + entry.Name()); err == nil && target == pipe {
			return true
		}
	}
	return false
}

// pipeName returns the target of the links in /proc for descriptors of the pipe; "" if it is not known.
func pipeName(f *os.File) (name string) {
	raw, err := f.SyscallConn() // Fd would make the file block
	if err != nil {
		return ""
	}
	_ = raw.Control(func(fd uintptr) { // after an error the name is "", and no process holds the pipe
		name, _ = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	})
	return name
}
