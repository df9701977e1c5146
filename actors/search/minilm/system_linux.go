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
	page := uintptr(os.Getpagesize())
	first := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	skip := roundUp(int(first), int(page)) - int(first)
	size := (len(text) - skip) / int(page) * int(page)
	if size <= 0 {
		return
	}
	whole := unsafe.Slice(unsafe.StringData(text[skip:]), size)
	_ = unix.Madvise(whole, unix.MADV_DONTNEED) // the pages stay, which costs memory only
}
