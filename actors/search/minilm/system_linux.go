package minilm

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// background is the nice value of indexing. It is not the lowest: a collector
// that stops the process waits for this thread too, and on a machine that others
// keep busy a thread of the lowest priority lets it wait for long.
const background = 5

// lowerPriority makes the calling thread, which must be locked, give way to
// those of other programs.
func lowerPriority() {
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, background) // without it indexing is only less polite
}

// dropPages gives the pages of text, which is part of the program, back to the
// system. They are read from the file again when somebody needs them.
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
	_ = unix.Madvise(whole, unix.MADV_DONTNEED) // the pages stay, which costs memory only
}
