package files

import "os"

// running is the executable of the process that opens or executes the path. So a child
// process finds the file of its parent there, until it executes another program.
const running = "/proc/self/exe"

// unchanged reports whether the path still leads to the file of this process.
func unchanged(path string) bool {
	own, err := os.Stat(running)
	if err != nil {
		return true // unknown without /proc
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(own, now)
}

func replaced(string) (string, error) { return running, nil }
