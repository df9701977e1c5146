package hub

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// Memory returns the resident memory of a process in bytes, or 0 if it is unknown.
func Memory(pid int) int64 {
	_, pages := statOf(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return pages * int64(os.Getpagesize())
}

// GroupMemory returns the resident memory of a process group in bytes, such as npx and the node
// process behind it, or 0 if it is unknown. Pages that the processes share count for each of them.
func GroupMemory(leader int) int64 {
	if leader == 0 {
		return 0
	}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	var sum int64
	for _, file := range files {
		if group, pages := statOf(file); group == leader {
			sum += pages
		}
	}
	return sum * int64(os.Getpagesize())
}

// statOf reads the process group and the resident pages, fields 5 and 24 of proc(5). Fields
// are counted after the name of the command, which may contain spaces and brackets.
func statOf(file string) (group int, pages int64) {
	text, err := os.ReadFile(file) //nolint:gosec // a file of /proc
	if err != nil {
		return 0, 0 // the process has ended
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const first, ofGroup, ofPages = 3, 5, 24
	if len(fields) <= ofPages-first {
		return 0, 0
	}
	group, _ = strconv.Atoi(string(fields[ofGroup-first]))
	pages, _ = strconv.ParseInt(string(fields[ofPages-first]), 10, 64)
	return group, pages
}
