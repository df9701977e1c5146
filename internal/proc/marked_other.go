//go:build unix && !linux

package proc

import (
	"os"
	"syscall"
)

func renameProcess() {}

func signalMarked(string, syscall.Signal, []int) bool { return false }

// takeOver returns false: on this system another process cannot open the pipes of the installation.
func takeOver(int, Installation) bool { return false }

// leftRuns returns false: on this system the arguments of other processes cannot be read.
func leftRuns(string) bool { return false }

// inherited returns the path at which the second process executes the program.
func inherited(self string) string { return self }

func unnamedFile() (*os.File, error) {
	file, err := os.CreateTemp("", "reaper")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}
