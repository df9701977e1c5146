//go:build !linux

package quickjs

import "errors"

// newMappedStore returns an error: only on Linux does madvise restore a private mapping.
func newMappedStore(snapshot) (store, error) {
	return nil, errors.New("this system cannot restore a mapped image")
}

// newBootMemory returns a memory without an image.
func newBootMemory(limit uint64) (memory, error) { return &copiedMemory{limit: limit}, nil }
