package proc

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ReleasePages unmaps the pages of the executable file. When a page is needed again, a minor fault
// maps it from the page cache. ReleasePages ignores errors.
func ReleasePages() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, m := range clean(maps, self) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED) // after an error the pages stay mapped
	}
}

// mapping is a range of addresses.
type mapping struct{ from, to uintptr }

// clean returns the mappings of a file whose pages are unchanged copies of the file: mappings that
// are not writable and have no page that was ever written. The start of a position-independent
// program writes to the pages of its relocated constants.
func clean(smaps []byte, file string) []mapping {
	var found []mapping
	var candidate *mapping
	suffix := []byte(" " + file)
	for line := range bytes.Lines(smaps) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if m, perms, ok := head(line); ok {
			candidate = nil
			if bytes.HasSuffix(line, suffix) && perms[1] == '-' && perms[0] == 'r' {
				candidate = &m
			}
			continue
		}
		if rest, ok := bytes.CutPrefix(line, []byte("Anonymous:")); ok && candidate != nil && string(bytes.TrimSpace(rest)) == "0 kB" {
			found = append(found, *candidate)
		}
	}
	return found
}

// head parses the first line of a mapping: from-to perms offset device inode file. The other
// lines of a mapping begin with a name and a colon.
func head(line []byte) (m mapping, perms []byte, ok bool) {
	addresses, rest, _ := bytes.Cut(line, []byte{' '})
	from, to, ok := bytes.Cut(addresses, []byte{'-'})
	if !ok || len(rest) < 4 {
		return m, nil, false
	}
	a, err := strconv.ParseUint(string(from), 16, strconv.IntSize)
	b, err2 := strconv.ParseUint(string(to), 16, strconv.IntSize)
	return mapping{uintptr(a), uintptr(b)}, rest[:4], err == nil && err2 == nil
}
