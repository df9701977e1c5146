//go:build unix && !linux

package proc

import (
	"os"
	"syscall"
)

func renameProcess() {}

func signalMarked(string, syscall.Signal, []int) bool { return false }

// takeOver leaves no installation to another process: its output cannot be read.
func takeOver(int, Installation) bool { return false }

// leftRuns reports no process: the arguments of other processes are unknown here.
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
