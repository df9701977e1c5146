package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// RSS returns the resident memory of a process in MB.
func RSS(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	return float64(pages*os.Getpagesize()) / (1 << 20), err
}

// Private returns the private memory of a process in MB: dirty is what it has written, clean are pages
// of files that no other process maps.
func Private(pid int) (dirty, clean float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(text)) {
		var name string
		var kB float64
		if n, _ := fmt.Sscan(line, &name, &kB); n < 2 { // the first line has another form
			continue
		}
		switch name {
		case "Private_Dirty:":
			dirty = kB / 1024
		case "Private_Clean:":
			clean = kB / 1024
		}
	}
	return dirty, clean, nil
}

// Uncache removes a file from the page cache, as a restart of the machine would. Otherwise the
// pages of a file that was just written are up to 2 MB large, and a process maps whole pages.
func Uncache(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	return errors.Join(file.Sync(), unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED))
}

// Process is a running process, with data from /proc.
type Process struct {
	PID, Parent int
	State       string        // one letter; Z is a zombie
	Used        time.Duration // processor time of the process and of the children that it has waited for
	Args        []string

	own time.Duration // part of Used that the process itself used
}

// arguments returns the command line of a process, without the two words that the user mode emulation of QEMU puts
// before it.
func arguments(pid int) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // empty for a zombie
	args := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	if len(args) > 2 && strings.HasPrefix(filepath.Base(args[0]), "qemu-") {
		return args[2:]
	}
	return args
}

// Worker returns the role of a script worker, or "" for any other process.
func (p Process) Worker() string {
	if len(p.Args) > 2 && p.Args[1] == "__worker" {
		return p.Args[2]
	}
	return ""
}

// Descendants returns all descendants of a process, in any process group.
func Descendants(of int) []Process {
	children := map[int][]Process{}
	for _, p := range processes() {
		children[p.Parent] = append(children[p.Parent], p)
	}
	var below []Process
	for next := children[of]; len(next) > 0; {
		p := next[0]
		below, next = append(below, p), append(next[1:], children[p.PID]...)
	}
	return below
}

// CPU returns the processor time of a process and of all its descendants, including
// those that have ended and were waited for.
func CPU(of int) (used time.Duration) {
	for _, p := range append(Descendants(of), find(of)...) {
		used += p.Used
	}
	return used
}

// OwnCPU returns the processor time of one process alone, or 0 if it has ended.
func OwnCPU(pid int) time.Duration {
	for _, p := range find(pid) {
		return p.own
	}
	return 0
}

// Scheduled returns the processor time of the threads of a process, in units of nanoseconds instead of
// ticks. Threads that have ended do not count.
func Scheduled(pid int) (used time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the pattern is valid
	for _, file := range threads {
		text, _ := os.ReadFile(file) // empty if the thread has ended
		var ns int64
		_, _ = fmt.Sscan(string(text), &ns)
		used += time.Duration(ns)
	}
	return used
}

func find(pid int) []Process {
	return slices.DeleteFunc(processes(), func(p Process) bool { return p.PID != pid })
}

// tick is the unit of USER_HZ, which Linux fixes on every architecture that this program supports.
const tick = 10 * time.Millisecond

// Alive returns those of the processes that still run.
func Alive(of []Process) []Process {
	var alive []Process
	now := map[int]Process{}
	for _, p := range processes() {
		now[p.PID] = p
	}
	for _, p := range of {
		if q, there := now[p.PID]; there && q.State != "Z" && strings.Join(q.Args, " ") == strings.Join(p.Args, " ") {
			alive = append(alive, q)
		}
	}
	return alive
}

func processes() []Process {
	var all []Process
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, dir := range dirs {
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue // the process has ended
		}
		// The name is in parentheses and may contain any character.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(dir))
		parent, _ := strconv.Atoi(fields[1])
		own, used := 0, 0
		for i, field := range fields[11:15] { // utime stime cutime cstime
			ticks, _ := strconv.Atoi(field)
			if used += ticks; i < 2 {
				own = used
			}
		}
		all = append(all, Process{PID: pid, Parent: parent, State: fields[0], Used: time.Duration(used) * tick, Args: arguments(pid), own: time.Duration(own) * tick})
	}
	return all
}
