// Package wall puts what the operating system has between a process and
// everything that it does not need: Landlock for files, ports and signals, and a
// seccomp filter for system calls. What is put up cannot be taken down again, by
// nobody, and holds for all that the process starts.
//
// Both are best effort, as kernels differ. Each says what it did as a
// toolscript.WallPart, so that nothing has to be assumed.
package wall

// The names of the parts.
const (
	LandlockName = "landlock"
	SeccompName  = "seccomp"
)
