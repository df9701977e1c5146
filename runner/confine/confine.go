// Package confine restricts the calling process by means of the operating system: Landlock
// for files, ports and signals, and a seccomp filter for system calls. The restrictions
// cannot be lifted, and child processes inherit them.
//
// A program of somebody else cannot confine itself. On Linux, RestrictThread and Program restrict
// the thread that starts or becomes the program. On macOS, the program starts inside a profile of
// the sandbox (SeatbeltAccess).
//
// This package does not decide what a server may reach: that does gateway.Confiner, from the configuration.
//
// Kernels differ, so not every restriction is available everywhere. The functions report what is
// active as a toolscript.Confinement. See docs/design/confinement.md.
package confine

// The names of the restrictions, as in toolscript.Confinement.Name.
const (
	landlockName = "landlock"
	seccompName  = "seccomp"
	callsName    = "system calls"
)
