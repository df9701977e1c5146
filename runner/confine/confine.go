// Package confine restricts the calling process by means of the operating system: Landlock
// for files, ports and signals, and a seccomp filter for system calls. The restrictions
// cannot be lifted, and child processes inherit them.
//
// Kernels differ, so both are best effort. Each function reports its effect as a
// toolscript.Confinement. Program only restricts the calling thread, for a program that the
// thread starts or becomes. See docs/design/confinement.md.
package confine

// The names of the parts.
const (
	landlockName = "landlock"
	seccompName  = "seccomp"
	callsName    = "system calls"
)
