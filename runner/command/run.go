//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// killTime is how long Run waits for the helper after it has asked it to end the program. The
// kernel cannot end a process while that process waits for a device.
const killTime = 30 * time.Second

// Runner runs programs. The zero value uses the executable of this process as the helper.
type Runner struct {
	Helper string   // path of an executable that runs Main for Command
	Env    []string // additional environment of the helper, which the program does not get
}

// Run runs a program and waits until it and its descendants have ended. It kills them after
// the time limit of the Spec, and returns a Result; when ctx ends, it kills them too, and
// returns the error of toolscript.ContextError.
//
// The error is a *toolscript.Error if the program cannot be started: NotFound if there is
// no such program, Forbidden if it may not be executed, Invalid for an unusable folder.
func (r Runner) Run(ctx context.Context, spec Spec) (Result, error) {
	if spec.Dir == "" {
		spec.Dir = spec.Root
	}
	if spec.MaxOutput <= 0 {
		spec.MaxOutput = DefaultMaxOutput
	}
	h, err := r.start(spec)
	if err != nil {
		return Result{}, fmt.Errorf("start the helper of a command: %w", err)
	}
	return h.await(ctx, spec.Timeout)
}

// helper is a running helper.
type helper struct {
	cmd     *exec.Cmd
	began   time.Time
	stdin   io.WriteCloser
	output  *transcript
	reports *os.File
	pipes   sync.WaitGroup // goroutines that read the output
	ended   chan error     // the result of read
	got     report         // report; valid after ended
}

// start starts the helper. The helper leads its own session, so that neither it nor the program
// has a terminal. It does not get the environment variables of the program, because they could
// affect it.
func (r Runner) start(spec Spec) (*helper, error) {
	path := r.Helper
	if path == "" {
		var err error
		if path, err = files.Own(); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(order{spec.Args, spec.Root, spec.Dir, spec.Writable, spec.Project, spec.Env, spec.Stdin, spec.Network, spec.Confined, len(spec.Files), nil})
	if err != nil {
		return nil, err
	}
	h := &helper{output: newTranscript(spec.MaxOutput, spec.Room), ended: make(chan error, 1)}
	// The context of the call must not kill the helper: it has to end the program.
	h.cmd = exec.CommandContext(context.Background(), path, Command) //nolint:gosec // this program
	h.cmd.Dir, h.cmd.Env = "/", append([]string{"GOMAXPROCS=2", "TMPDIR=" + os.TempDir()}, r.Env...)
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := h.connect(spec.Files); err != nil {
		return nil, err
	}
	go h.read()
	if _, err := h.stdin.Write(append(text, '\n')); err != nil {
		_ = h.stdin.Close()
		return nil, errors.Join(err, <-h.ended)
	}
	return h, nil
}

// connect starts the process with its four pipes and the descriptors of the program.
func (h *helper) connect(files []*os.File) (err error) {
	var ours, theirs []*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close() // the child has its own copies
		}
		if err != nil {
			for _, f := range ours {
				_ = f.Close() // nothing was read
			}
		}
	}()
	for range 3 {
		read, write, err := os.Pipe()
		if err != nil {
			return err
		}
		ours, theirs = append(ours, read), append(theirs, write)
	}
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		return err
	}
	h.cmd.Stdout, h.cmd.Stderr, h.cmd.ExtraFiles = theirs[0], theirs[1], append(theirs[2:3:3], files...)
	h.began = time.Now()
	if err := h.cmd.Start(); err != nil {
		return err
	}
	h.reports = ours[2]
	for i, into := range []*cut{&h.output.out, &h.output.err} {
		h.pipes.Go(func() {
			_, _ = io.Copy(stream{h.output, into}, ours[i]) // an error ends the output
			_ = ours[i].Close()                             // only read
		})
	}
	return nil
}

// read waits for the report of the helper and for its end.
func (h *helper) read() {
	text, err := io.ReadAll(h.reports)
	_ = h.reports.Close() // only read
	h.pipes.Wait()
	_ = h.cmd.Wait() // the report is more specific than the exit code
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		err = fmt.Errorf("the helper of the command ended without a report: %s", h.cmd.ProcessState)
	}
	if err == nil {
		err = json.Unmarshal(text, &h.got)
	}
	h.ended <- err
}

// await waits for the end of the program, and ends it after limit or when ctx ends.
func (h *helper) await(ctx context.Context, limit time.Duration) (Result, error) {
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	timedOut := false
	var err error
	select {
	case err = <-h.ended:
		_ = h.stdin.Close() // the helper has ended
	case <-over:
		timedOut = true
		err = h.end()
	case <-ctx.Done():
		err = errors.Join(toolscript.ContextError(ctx), h.end())
	}
	if err != nil {
		return Result{}, err
	}
	if h.got.Error != "" {
		return Result{}, &toolscript.Error{Kind: h.got.Kind, Err: errors.New(h.got.Error)}
	}
	return h.result(timedOut), nil
}

// end asks the helper to end the program and waits for it.
func (h *helper) end() error {
	_ = h.stdin.Close() // fails if the helper has ended
	timer := time.NewTimer(killTime)
	defer timer.Stop()
	select {
	case err := <-h.ended:
		return err
	case <-timer.C:
		return errors.New("the command did not end after SIGKILL")
	}
}

func (h *helper) result(timedOut bool) Result {
	r := Result{
		ExitCode: h.got.ExitCode, TimedOut: timedOut, Duration: time.Since(h.began), Confinement: h.got.Confinement,
		Stdout: h.output.out.text(), Stderr: h.output.err.text(), Aggregated: h.output.aggregated.text(),
	}
	if timedOut {
		r.ExitCode = TimedOutCode
	}
	return r
}
