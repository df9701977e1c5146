package minilm

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// background is the nice value of indexing. It is not the lowest priority: the
// garbage collector must stop this thread too, and on a busy machine a thread of the
// lowest priority would delay it.
const background = 5

// lowerPriority lowers the priority of the calling thread, which must be locked.
func lowerPriority() {
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, background) // on an error, indexing runs at normal priority
}

// dropPages releases the memory of text, which is part of the program file. The
// system reads the pages again when they are used.
func dropPages(text string) {
	if text == "" {
		return
	}
	bytes := unsafe.Slice(unsafe.StringData(text), len(text)) //nolint:gosec // only its address is used
	page := os.Getpagesize()
	start := int(uintptr(unsafe.Pointer(&bytes[0]))) //nolint:gosec // to find the first whole page
	skip := roundUp(start, page) - start
	if skip >= len(bytes) {
		return
	}
	whole := bytes[skip:][:(len(bytes)-skip)/page*page]
	_ = unix.Madvise(whole, unix.MADV_DONTNEED) // on an error, the pages stay in memory
}
