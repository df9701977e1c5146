package memtrim

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Release unmaps the pages of the executable file. A page that is needed again is
// read from the page cache with a minor fault. Release is best effort.
func Release() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, m := range clean(maps, self) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED) // else they stay
	}
}

// mapping is a range of addresses.
type mapping struct{ from, to uintptr }

// clean returns the mappings of a file that hold nothing but the content of the
// file: they are not writable, and no page of them was ever written, as happens to
// the relocated constants of a position-independent program.
func clean(smaps []byte, file string) []mapping {
	var found []mapping
	var candidate *mapping
	for line := range bytes.Lines(smaps) {
		text := strings.TrimSuffix(string(line), "\n")
		var m mapping
		var perms string
		if n, _ := fmt.Sscanf(text, "%x-%x %4s", &m.from, &m.to, &perms); n == 3 {
			candidate = nil
			if strings.HasSuffix(text, " "+file) && perms[1] == '-' && perms[0] == 'r' {
				candidate = &m
			}
			continue
		}
		if rest, ok := strings.CutPrefix(text, "Anonymous:"); ok && candidate != nil && strings.TrimSpace(rest) == "0 kB" {
			found = append(found, *candidate)
		}
	}
	return found
}
