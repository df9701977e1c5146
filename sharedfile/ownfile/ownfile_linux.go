package ownfile

import "os"

// running is the file of this process, wherever it is. It is that of the process that opens or
// executes the path, so a child has it until it becomes another program.
const running = "/proc/self/exe"

// unchanged reports whether the path still leads to the file of this process.
func unchanged(path string) bool {
	own, err := os.Stat(running)
	if err != nil {
		return true // without /proc it is not known
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(own, now)
}

func replaced(string) (string, error) { return running, nil }
