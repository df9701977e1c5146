package discovery

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Process identifies one process. The start time distinguishes it from later processes with
// the same id.
type Process struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"startTime"` // in the units of its system; 0 if unknown
}

// Identify returns the identity of a running process.
func Identify(pid int) (Process, error) {
	start, err := startTime(pid)
	if err != nil {
		return Process{PID: pid}, fmt.Errorf("process %d: %w", pid, err)
	}
	return Process{pid, start}, nil
}

// Client returns the process of the agent that runs this hook: CLAUDE_PID, else the parent.
// If the start time cannot be read, the process id alone identifies it.
func Client(lookupEnv func(string) (string, bool)) (Process, error) {
	pid := os.Getppid()
	if text, _ := lookupEnv("CLAUDE_PID"); text != "" {
		named, err := strconv.Atoi(text)
		if err != nil || named < 1 {
			return Process{}, fmt.Errorf("CLAUDE_PID is %q, want a process id", text)
		}
		pid = named
	}
	p, err := Identify(pid)
	if errors.Is(err, errGone) {
		return p, err
	}
	return p, nil
}

// ParseProcess parses the result of String.
func ParseProcess(text string) (Process, error) {
	pid, start, ok := strings.Cut(text, "-")
	var p Process
	var err error
	if p.PID, err = strconv.Atoi(pid); err != nil || p.PID < 1 || !ok {
		return Process{}, fmt.Errorf("%q is not PID-STARTTIME", text)
	}
	if p.StartTime, err = strconv.ParseUint(start, 10, 64); err != nil {
		return Process{}, fmt.Errorf("%q is not PID-STARTTIME", text)
	}
	return p, nil
}

func (p Process) String() string { return fmt.Sprintf("%d-%d", p.PID, p.StartTime) }

// Gone reports whether the process has ended. known is false if the system cannot tell.
func (p Process) Gone() (gone, known bool) {
	if p.StartTime == 0 {
		return false, false
	}
	start, err := startTime(p.PID)
	if err != nil {
		gone = errors.Is(err, errGone)
		return gone, gone
	}
	return start != p.StartTime, true
}

// signal opens a handle to the process before it compares the identity.
func (p Process) signal(signal os.Signal, what string) error {
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return nil // on some systems, this means that there is no such process
	}
	defer func() { _ = handle.Release() }()
	if gone, known := p.Gone(); gone || !known {
		return nil
	}
	if err := handle.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s process %d: %w", what, p.PID, err)
	}
	return nil
}
