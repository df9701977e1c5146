//go:build unix && !linux

package reaper

import "syscall"

func renameProcess() {}

func signalMarked(string, syscall.Signal) bool { return false }
