package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
)

// collectLater delays the first garbage collection of a command from a heap of 4 MB to one of 16 MB. Most
// commands end before that; to collect what the packages allocate at their start would take a fifth of their
// processor time. Later collections are not delayed. Nor is the first in commands that keep running, or if
// GOGC is set.
func collectLater(args []string) {
	stays := func(arg string) bool { return slices.Contains([]string{"gateway", "hub", "mcp", "--watch"}, arg) }
	if os.Getenv("GOGC") != "" || slices.ContainsFunc(args, stays) {
		return
	}
	usual := debug.SetGCPercent(400) // percent of 4 MB, the heap at which the first collection starts by default
	runtime.AddCleanup(new([16]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
