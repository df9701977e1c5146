package proc

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

// LeaveTime is how long an installation may continue after the program has ended.
const LeaveTime = 10 * time.Minute

const (
	leaveWord = "leave"         // argument of the process that takes over an installation
	leaveLook = time.Second     // between two checks whether the installation is over
	leaveExit = 5 * time.Second // wait before SIGTERM, and between SIGTERM and SIGKILL, in which a package manager can remove a partial installation
)

// Installation describes what a package manager installs or a container runtime downloads: a
// key, followed by the words that identify the package manager or container runtime. It is
// empty if there is neither.
type Installation []string

// NewInstallation returns the installation of a server with a command line. key identifies
// what is installed, and where.
func NewInstallation(argv, key []string) Installation {
	words := Manager(argv)
	if words == nil {
		words = Runtime(argv)
	}
	if words == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(strings.Join(key, "\x00")))
	return append(Installation{hex.EncodeToString(sum[:8])}, words...)
}

// Leave lets the process group of leader, in which a server is being installed, outlive this
// program. Another process reads the output of the group, and ends the group when the package
// manager has started the server, or after LeaveTime.
func (r *Reaper) Leave(leader int, install Installation, stdout, stderr *os.File) error {
	if r == nil || !supported {
		return errors.ErrUnsupported
	}
	self, err := files.Own()
	if err != nil {
		return err
	}
	cmd := leave(self, leader, install, stdout, stderr)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.groups != nil {
		if err := r.groups.spare(leader); err != nil {
			return err
		}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // its exit status is not needed
	return nil
}

// leave returns the command of the process that takes over. self is the path of this program.
func leave(self string, leader int, install Installation, stdout, stderr *os.File) *exec.Cmd {
	cmd := exec.Command(self, append([]string{Command, leaveWord, strconv.Itoa(leader)}, install...)...) //nolint:gosec,noctx // this program; it outlives every context
	cmd.Args[0] = ProcessName
	cmd.Env = []string{"GOMAXPROCS=1"}
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{stdout, stderr}
	leadSession(cmd)
	return cmd
}

// AwaitLeft waits until no installation with the same key is running that an ended program of this user
// has left. Otherwise two package managers would break each other's files.
func AwaitLeft(ctx context.Context, install Installation) {
	if len(install) == 0 {
		return
	}
	tick := time.NewTicker(leaveLook)
	defer tick.Stop()
	for leftRuns(install[0]) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// finish is the main function of the process that takes over. It returns the exit code.
func finish(args []string) int {
	if len(args) < 2 {
		return 2
	}
	leader, err := strconv.Atoi(args[0])
	if err != nil || leader < 2 {
		return 2
	}
	start := NewStart(args[2:])
	stdout := os.NewFile(groupsFD, "stdout") // the first descriptors after standard error
	start.Process(leader, stdout)
	start.Resume()
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(counter(start.Answered), stdout) }) // only the end of the output matters
	reading.Go(func() { follow(os.NewFile(programFD, "stderr"), start) })
	over := make(chan struct{})
	go func() {
		defer close(over)
		reading.Wait()
	}()
	awaitInstalled(start, over)
	left := &remains{groups: []int{leader}}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-over: // a server without standard input ends by itself
		case <-time.After(leaveExit):
		}
		left.signal(sig)
	}
	return 0
}

// awaitInstalled waits until the package manager has started the server, over is closed, or
// LeaveTime has passed.
func awaitInstalled(start *Start, over <-chan struct{}) {
	limit := time.NewTimer(LeaveTime)
	defer limit.Stop()
	look := time.NewTicker(leaveLook)
	defer look.Stop()
	for start.Look().Installing {
		select {
		case <-look.C:
		case <-over:
			return
		case <-limit.C:
			return
		}
	}
}

// follow passes the lines of standard error to start, until the end of standard error.
func follow(stderr io.Reader, start *Start) {
	lines := bufio.NewReader(stderr)
	for {
		line, _, err := lines.ReadLine() // only the beginning of a line matters
		if err != nil {
			return
		}
		start.Logged(len(line) + 1)
		start.Line(string(line))
	}
}

// counter is an io.Writer that reports how many bytes are written to it.
type counter func(int)

func (c counter) Write(p []byte) (int, error) {
	c(len(p))
	return len(p), nil
}
