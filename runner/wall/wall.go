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

// Access is what Landlock leaves to a process. The zero value leaves nothing:
// no file can be opened any more and no port be reached.
type Access struct {
	Read    []string `json:"read,omitempty"`    // files and folders to read, and to execute from; one that is not there is left out
	Write   []string `json:"write,omitempty"`   // folders to read and write below; one that is not there is left out
	Connect []uint16 `json:"connect,omitempty"` // TCP ports, on any address: Landlock knows no addresses
}
