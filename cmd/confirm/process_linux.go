package confirm

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript/internal/proc"
)

// look reads /proc. The environment and the arguments of a process of another user are
// unknown.
func look(pid int) (process, bool) {
	folder := fmt.Sprintf("/proc/%d/", pid)
	stat, err := os.ReadFile(folder + "stat") //nolint:gosec // the path has a number only
	if err != nil {
		return process{}, false
	}
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	fields := bytes.Fields(stat[end+1:])
	if open < 0 || len(fields) < 2 {
		return process{}, false
	}
	parent, err := strconv.Atoi(string(fields[1])) // fields[0] is the state
	return process{parent, string(stat[open+1 : end]), proc.CommandLine(pid), words(folder + "environ")}, err == nil
}

// words reads a file of texts that each end with a zero byte.
func words(path string) []string {
	text, err := os.ReadFile(path) //nolint:gosec // the path is in /proc
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}
