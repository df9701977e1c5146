//go:build !linux

package quickjs

import "errors"

// newMappedStore is for Linux, whose madvise restores a private mapping.
func newMappedStore(snapshot) (store, error) {
	return nil, errors.New("this system cannot restore a mapped image")
}

// newBootMemory is a memory without an image.
func newBootMemory(limit uint64) (memory, error) { return &copiedMemory{limit: limit}, nil }
