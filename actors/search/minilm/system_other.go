//go:build !linux

package minilm

// lowerPriority: a thread's priority is Linux's notion.
func lowerPriority() {}

// dropPages: the system takes clean pages of a file back when it is short of
// memory.
func dropPages(string) {}
