package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
)

// collectLater has the first garbage collection of a command at 16 MB instead of 4 MB, and
// the others at their usual times. Most commands end before that; the collection of what
// the packages have made at their start would be a fifth of their processor time. Processes
// that stay keep the usual bound, and so do users who set GOGC.
func collectLater(args []string) {
	stays := func(arg string) bool { return slices.Contains([]string{"gateway", "hub", "mcp", "top"}, arg) }
	if os.Getenv("GOGC") != "" || slices.ContainsFunc(args, stays) {
		return
	}
	usual := debug.SetGCPercent(400) // of 4 MB, the heap of a program that has just begun
	runtime.AddCleanup(new([16]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
