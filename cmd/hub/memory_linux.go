package hub

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Memory returns the private memory of a process in MB, or 0 if it is unknown.
func Memory(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	sum := 0.0
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) > 1 && bytes.HasPrefix(fields[0], []byte("Private_")) {
			kb, _ := strconv.ParseFloat(string(fields[1]), 64) // the kernel writes a number
			sum += kb
		}
	}
	return sum / 1024
}

// GroupMemory returns the private memory in MB of process groups, such as npx and the node process behind it, by the
// process id of the leader; 0 if it is unknown.
func GroupMemory(leaders []int) map[int]float64 {
	groups := map[int]float64{}
	for _, leader := range leaders {
		if leader > 0 {
			groups[leader] = 0
		}
	}
	if len(groups) == 0 {
		return groups
	}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, file := range files {
		pid, group := groupOf(file)
		if _, wanted := groups[group]; wanted {
			groups[group] += Memory(pid)
		}
	}
	return groups
}

// groupOf reads the process id and the process group, fields 1 and 5 of proc(5). Fields are
// counted after the name of the command, which may contain spaces and brackets.
func groupOf(file string) (pid, group int) {
	text, err := os.ReadFile(file) //nolint:gosec // a file of /proc
	if err != nil {
		return 0, 0 // the process has ended
	}
	pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(file))) // the pattern matches digits only
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 {
		return pid, 0
	}
	group, _ = strconv.Atoi(string(fields[2])) // the kernel writes a number
	return pid, group
}
