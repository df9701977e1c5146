package status

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/toolscript/toolscript/cmd/discovery"
)

// measure sets the private memory of the items: of the process of a gateway or the hub, and
// of the process group of a server, such as npx and the node process behind it.
func measure(items []Item) {
	groups := map[int][]int{}
	for _, i := range items {
		if i.Kind == KindServer && i.PID > 0 {
			groups[i.PID] = nil
		}
	}
	if len(groups) > 0 {
		files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
		for _, file := range files {
			pid, group := groupOf(file)
			if of, wanted := groups[group]; wanted {
				groups[group] = append(of, pid)
			}
		}
	}
	for n := range items {
		i := &items[n]
		switch {
		case i.elsewhere || i.State == discovery.Stale || i.PID == 0:
		case i.Kind == KindServer:
			for _, pid := range groups[i.PID] {
				i.MemoryMB += private(pid)
			}
		default:
			i.MemoryMB = private(i.PID)
		}
	}
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

// private returns the private memory of a process in MB, or 0 if it is unknown.
func private(pid int) float64 {
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
