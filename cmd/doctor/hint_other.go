//go:build !windows

package doctor

// lacksPart is the advice for a worker that lacks a part of the confinement.
const lacksPart = "a newer kernel has it; the other restrictions hold"
