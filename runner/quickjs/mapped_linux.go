package quickjs

import (
	"encoding/binary"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mappedStore keeps an image in a file in memory. Every instance maps it privately: the
// kernel copies a page when it is written, and restoring the image discards the copies.
type mappedStore struct {
	file *os.File
	size uintptr
}

func newMappedStore(s snapshot) (store, error) {
	fd, err := unix.MemfdCreate("quickjs-image", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create a file in memory: %w", err)
	}
	m := &mappedStore{os.NewFile(uintptr(fd), "quickjs-image"), uintptr(s.size)}
	if err := m.fill(s); err != nil {
		_ = m.close() // err says more
		return nil, err
	}
	return m, nil
}

func (s *mappedStore) fill(from snapshot) error {
	if err := s.file.Truncate(int64(from.size)); err != nil {
		return err
	}
	for _, p := range from.pieces {
		if _, err := s.file.WriteAt(p.data, int64(p.offset)); err != nil {
			return err
		}
	}
	return nil
}

func (s *mappedStore) close() error { return s.file.Close() }

const access = unix.PROT_READ | unix.PROT_WRITE

// newMemory maps the image over the start of the reserved range.
func (s *mappedStore) newMemory(limit uint64) (memory, error) {
	m, err := reserve(max(limit, uint64(s.size)))
	if err != nil {
		return nil, err
	}
	m.image = s.size
	if _, err := unix.MmapPtr(int(s.file.Fd()), 0, m.base, s.size, access, unix.MAP_PRIVATE|unix.MAP_FIXED); err != nil {
		m.Free()
		return nil, fmt.Errorf("map the image: %w", err)
	}
	return m, nil
}

// newBootMemory returns a memory without an image. It is not in the Go heap, which would keep
// its 17 MB for long after they are free.
func newBootMemory(limit uint64) (memory, error) { return reserve(limit) }

// reserve reserves address space for limit bytes, so that the memory never moves.
func reserve(limit uint64) (*mappedMemory, error) {
	base, err := unix.MmapPtr(-1, 0, nil, uintptr(limit), access, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d MB of address space: %w", limit>>20, err)
	}
	return &mappedMemory{base: base, reserved: uintptr(limit), limit: limit}, nil
}

type mappedMemory struct {
	base     unsafe.Pointer
	reserved uintptr
	image    uintptr // size of the image
	limit    uint64
}

// Reallocate implements experimental.LinearMemory. The new part is zero, because it was never
// used: an instance that grew is not reused.
func (m *mappedMemory) Reallocate(size uint64) []byte {
	if size > min(m.limit, uint64(m.reserved)) {
		return nil
	}
	return unsafe.Slice((*byte)(m.base), size) //nolint:gosec // within the reserved range
}

// Free implements experimental.LinearMemory.
func (m *mappedMemory) Free() {
	if m.base != nil {
		_ = unix.MunmapPtr(m.base, m.reserved) // only fails for a range that is not mapped
		m.base = nil
	}
}

func (m *mappedMemory) setLimit(bytes uint64) { m.limit = bytes }

// restore discards the private copies. Only Linux guarantees that a private mapping then has
// the content of the file again.
func (m *mappedMemory) restore() error {
	whole := unsafe.Slice((*byte)(m.base), m.image) //nolint:gosec // within what is mapped
	if err := unix.Madvise(whole, unix.MADV_DONTNEED); err != nil {
		return fmt.Errorf("restore the image: %w", err)
	}
	return nil
}

// Bits of an entry of /proc/self/pagemap (proc_pid_pagemap(5)).
const (
	pagePresent  = 1 << 63
	pageFromFile = 1 << 61 // set for pages of files and shared pages
)

// written returns the pages that are private copies, according to the kernel.
func (m *mappedMemory) written() []span {
	pages := make([]byte, m.image/pageSize*8)
	file, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	defer file.Close() //nolint:errcheck // only read
	if _, err := file.ReadAt(pages, int64(uintptr(m.base)/pageSize*8)); err != nil {
		return nil
	}
	var parts []span
	for page := range m.image / pageSize {
		if entry := binary.NativeEndian.Uint64(pages[page*8:]); entry&pagePresent == 0 || entry&pageFromFile != 0 {
			continue
		}
		at := page * pageSize
		if last := len(parts) - 1; last >= 0 && parts[last].Offset+parts[last].Size == at {
			parts[last].Size += pageSize
			continue
		}
		parts = append(parts, span{at, pageSize})
	}
	return parts
}

// warm copies pages before they are written. Copying many pages at once takes a fraction of
// the time of single copies. It has no effect before Linux 5.14.
func (m *mappedMemory) warm(parts []span) {
	whole := unsafe.Slice((*byte)(m.base), m.image) //nolint:gosec // within what is mapped
	for _, p := range parts {
		if unix.Madvise(whole[p.Offset:p.Offset+p.Size], unix.MADV_POPULATE_WRITE) != nil {
			return
		}
	}
}
