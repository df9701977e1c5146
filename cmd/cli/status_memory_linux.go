package cli

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// privateMB is the private memory of a process in MB; 0 if it is not known.
func privateMB(pid int) float64 {
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
