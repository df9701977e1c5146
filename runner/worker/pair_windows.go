package worker

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/internal/rawio"
)

// channelVariable is the environment variable with the handles of a worker's pipes.
const channelVariable = "TOOLSCRIPT_WORKER_CHANNEL"

// maxCommit is the memory that a worker may commit, in bytes. The system enforces it, in case the
// gateway does not kill a sandbox at maxMemory.
const maxCommit = 2 * maxMemory

// A pair is the connection between gateway and worker: two pipes for frames, whose worker's ends are
// inherited handles, and a job. When the gateway ends, for any reason, the system closes the job and
// ends the worker.
type pair struct {
	conn    *duplex
	life    io.Closer  // the job; nil before start
	theirs  []*os.File // the worker's ends
	handles []syscall.Handle
}

func newPair() (*pair, error) {
	in, err := newPipe()
	if err != nil {
		return nil, err
	}
	out, err := newPipe()
	if err != nil {
		return nil, errors.Join(err, windows.CloseHandle(in.read), windows.CloseHandle(in.write))
	}
	p := &pair{handles: []syscall.Handle{syscall.Handle(in.read), syscall.Handle(out.write)}}
	p.theirs = []*os.File{os.NewFile(uintptr(in.read), "worker"), os.NewFile(uintptr(out.write), "worker")}
	p.conn = &duplex{in: rawio.New(os.NewFile(uintptr(out.read), "worker")), out: rawio.New(os.NewFile(uintptr(in.write), "worker"))}
	return p, nil
}

// A direction is one pipe of a channel.
type direction struct{ read, write windows.Handle }

// newPipe returns a pipe that Go's poller can watch, which an anonymous pipe is not. It has a random
// name and only one instance: another process that connects first makes newPipe fail.
func newPipe() (direction, error) {
	name, err := windows.UTF16PtrFromString(`\\.\pipe\toolscript-` + rand.Text())
	if err != nil {
		return direction{}, err
	}
	owner, err := proc.OwnerOnly()
	if err != nil {
		return direction{}, err
	}
	const size = 64 << 10
	var p direction
	p.read, err = windows.CreateNamedPipe(name, windows.PIPE_ACCESS_INBOUND|windows.FILE_FLAG_FIRST_PIPE_INSTANCE|windows.FILE_FLAG_OVERLAPPED,
		windows.PIPE_REJECT_REMOTE_CLIENTS, 1, size, size, 0, owner)
	if err != nil {
		return direction{}, fmt.Errorf("CreateNamedPipe: %w", err)
	}
	p.write, err = windows.CreateFile(name, windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_OVERLAPPED, 0)
	if err != nil {
		return direction{}, errors.Join(fmt.Errorf("connect to a pipe: %w", err), windows.CloseHandle(p.read))
	}
	return p, nil
}

// start starts the worker in a job of its own, in which it can start no other process. The worker has no console: a
// console would be another process, and its key events would reach the worker.
func (p *pair) start(cmd *exec.Cmd) error {
	var numbers []string
	for _, handle := range p.handles {
		if err := syscall.SetHandleInformation(handle, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			return fmt.Errorf("SetHandleInformation: %w", err)
		}
		numbers = append(numbers, strconv.FormatUint(uint64(handle), 10))
	}
	token, err := restrictedToken()
	if err != nil {
		return err
	}
	defer func() { _ = token.Close() }()
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], channelVariable+"="+strings.Join(numbers, ","))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		AdditionalInheritedHandles: p.handles, Token: syscall.Token(token),
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.BELOW_NORMAL_PRIORITY_CLASS | windows.DETACHED_PROCESS,
	}
	job, err := proc.StartInJob(cmd, proc.JobLimits{Processes: 1, Memory: maxCommit})
	if err != nil {
		return err
	}
	p.life = job
	return nil
}

func (p *pair) closeTheirs() {
	for _, f := range p.theirs {
		_ = f.Close() // the worker has its own handles by now
	}
}

func (p *pair) closeOurs() error { return p.conn.Close() }

// openPipes opens the worker's ends of the pipes. It also clears the environment, because the system and Go
// have added variables to it.
func openPipes() (in, out *os.File, err error) {
	first, second, _ := strings.Cut(os.Getenv(channelVariable), ",")
	os.Clearenv()
	read, err := strconv.ParseUint(first, 10, 64)
	if err == nil {
		var write uint64
		if write, err = strconv.ParseUint(second, 10, 64); err == nil {
			return os.NewFile(uintptr(read), "gateway"), os.NewFile(uintptr(write), "gateway"), nil
		}
	}
	return nil, nil, fmt.Errorf("no handles in %s: %w", channelVariable, err)
}

// openConn opens the pipes of a checker or converter, which read while they work.
func openConn() (io.ReadWriteCloser, error) {
	in, out, err := openPipes()
	if err != nil {
		return nil, err
	}
	return &duplex{in: rawio.New(in), out: rawio.New(out)}, nil
}

// watchLifeline does nothing: the worker's job ends it.
func watchLifeline() error { return nil }
