package proc

import (
	"runtime"
	"runtime/debug"
)

// ShrinkMemory returns unused memory of the process to the system: garbage, and pages of the executable
// file. The start of this program reads 45 MB of its executable file: code, and tables for the
// initialization of packages. Most of it is not needed again, but the kernel keeps the pages mapped
// and counts them as memory of the process.
func ShrinkMemory() {
	runtime.GC() // the contents of pools need two collections
	debug.FreeOSMemory()
	ReleasePages()
}
