// Package confine restricts the calling process with the means of the operating
// system: Landlock for files, ports and signals, and a seccomp filter for system
// calls. The restrictions cannot be lifted, and child processes inherit them.
//
// Kernels differ, so both are best effort. Each reports what it did as a
// toolscript.Confinement. Program restricts the calling thread only, for a program that it
// starts or becomes.
package confine

// The names of the parts.
const (
	landlockName = "landlock"
	seccompName  = "seccomp"
	callsName    = "system calls"
)
