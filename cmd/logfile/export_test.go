package logfile

import (
	"maps"
	"slices"
)

// Folders returns the folders that have a source.
func Folders() []string { return slices.Sorted(maps.Keys(sources)) }

// SetMax sets the size in bytes at which a file is full.
func (w *Writer) SetMax(n int64) { w.max = n }
