//go:build !linux

package hub

// Memory returns 0: only Linux reports the private memory of a process.
func Memory(int) float64 { return 0 }

// GroupMemory returns nil, as Memory returns 0.
func GroupMemory([]int) map[int]float64 { return nil }
