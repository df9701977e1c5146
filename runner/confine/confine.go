// Package confine restricts the calling process by means of the operating system: Landlock
// for files, ports and signals, and a seccomp filter for system calls. The restrictions
// cannot be lifted, and child processes inherit them. Another program cannot be asked to confine
// itself. On Linux, the thread that starts or becomes the program is restricted (RestrictThread).
// On macOS, the program starts inside a profile of the sandbox (SeatbeltAccess).
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
