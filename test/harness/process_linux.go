package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RSS is the resident memory of a process in MB.
func RSS(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	return float64(pages*os.Getpagesize()) / (1 << 20), err
}

// Process is a running process as the system lists it.
type Process struct {
	PID, Parent int
	State       string        // one letter; Z is dead
	Used        time.Duration // of processors, by it and by those it has waited for
	Args        []string

	own time.Duration // of Used, its own part
}

// Worker is the role of a script worker, "" for other processes.
func (p Process) Worker() string {
	if len(p.Args) > 2 && p.Args[1] == "__worker" {
		return p.Args[2]
	}
	return ""
}

// Descendants are the processes below one, whichever process group they are in.
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

// CPU is the processor time of a process and of all below it, those included
// that have ended and been waited for.
func CPU(of int) (used time.Duration) {
	for _, p := range append(Descendants(of), find(of)...) {
		used += p.Used
	}
	return used
}

// OwnCPU is the processor time of one process without any other; 0 of one that
// is gone.
func OwnCPU(pid int) time.Duration {
	for _, p := range find(pid) {
		return p.own
	}
	return 0
}

func find(pid int) []Process {
	return slices.DeleteFunc(processes(), func(p Process) bool { return p.PID != pid })
}

// tick is USER_HZ, which Linux has fixed for programs on every architecture that
// this one runs on.
const tick = 10 * time.Millisecond

// Alive reports which of the processes still run.
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
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, dir := range dirs {
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue // gone meanwhile
		}
		// The name is in parentheses and may hold anything.
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
		cmdline, _ := os.ReadFile(dir + "/cmdline") // empty for the dead
		all = append(all, Process{PID: pid, Parent: parent, State: fields[0], Used: time.Duration(used) * tick, Args: strings.Split(strings.TrimSuffix(string(cmdline), "\x00"), "\x00"), own: time.Duration(own) * tick})
	}
	return all
}
