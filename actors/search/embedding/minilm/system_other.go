//go:build !linux

package minilm

// lowerPriority does nothing: only Linux has priorities per thread.
func lowerPriority() {}

// dropPages does nothing: the system releases clean pages of files when it needs
// memory.
func dropPages(string) {}
