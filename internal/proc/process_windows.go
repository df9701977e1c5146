package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// supported is false: on Windows each server is in a Job.
const supported = false

// ProcessName is the name of the second process.
const ProcessName = "mcp-reaper"

func command(self string) *exec.Cmd { return exec.Command(self, Command) } //nolint:gosec,noctx // never called

// PassNothing does nothing: on Windows, programs inherit only the handles that are named.
func PassNothing() error { return nil }

func leadSession(*exec.Cmd) {}

func unnamedFile() (*os.File, error) { return nil, errors.ErrUnsupported }

func (*remains) signal(syscall.Signal) bool { return false }

func renameProcess() {}

func leftRuns(string) bool { return false }

func takeOver(int, Installation) bool { return false }
