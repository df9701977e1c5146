package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/proc"
)

// holdDelay bounds the wait for descendants of the program that keep its output open.
const holdDelay = time.Second

// Runner runs programs. On Windows there is no helper, and programs are not confined. Each program
// runs in a job: when the job is closed, all descendants of the program end.
type Runner struct {
	Helper string   // has no effect on Windows
	Env    []string // has no effect on Windows
}

// Run runs a program and waits for its end, as on other systems.
func (r Runner) Run(ctx context.Context, spec Spec) (Result, error) {
	if len(spec.Args) == 0 || spec.Args[0] == "" {
		return Result{}, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("the command is empty")}
	}
	if spec.MaxOutput <= 0 {
		spec.MaxOutput = DefaultMaxOutput
	}
	if err := toolscript.ContextError(ctx); err != nil {
		return Result{}, err
	}
	limited := ctx
	if spec.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, spec.Timeout)
		defer cancel()
	}
	output, began := newTranscript(spec.MaxOutput, spec.Room), time.Now()
	cmd, err := program(spec)
	if err != nil {
		return Result{}, err
	}
	cmd.Env, cmd.WaitDelay = spec.Env, holdDelay
	if spec.Stdin != "" {
		cmd.Stdin = strings.NewReader(spec.Stdin)
	}
	cmd.Stdout, cmd.Stderr = stream{output, &output.out}, stream{output, &output.err}
	job, err := proc.StartInJob(cmd, proc.JobLimits{})
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			return Result{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("cannot start %q: there is no such program", spec.Args[0])}
		}
		return Result{}, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf("cannot start %q: %w", spec.Args[0], err)}
	}
	wait(limited, cmd, job)
	if err := toolscript.ContextError(ctx); err != nil {
		return Result{}, err
	}
	output.mu.Lock()
	defer output.mu.Unlock()
	result := Result{
		ExitCode: cmd.ProcessState.ExitCode(), TimedOut: limited.Err() != nil, Duration: time.Since(began), Confinement: Confinement(),
		Stdout: output.out.text(), Stderr: output.err.text(), Aggregated: output.aggregated.text(),
	}
	if result.TimedOut {
		result.ExitCode = TimedOutCode
	}
	return result, nil
}

// wait waits for the end of a program, whose descendants end too. It kills them all when ctx ends.
func wait(ctx context.Context, cmd *exec.Cmd, job *proc.Job) {
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		job.Kill()
		close(killed)
	})
	_ = cmd.Wait() // the result is in cmd.ProcessState
	if !stop() {
		<-killed // the job must not be killed after Close
	}
	_ = job.Close()
}

// program returns the command of a spec. A program without a folder is looked for in PATH.
func program(spec Spec) (*exec.Cmd, error) {
	path := spec.Args[0]
	if found, err := exec.LookPath(path); err == nil && filepath.Base(path) == path {
		path = found
	} // otherwise Start explains the error
	cmd, err := proc.Program(context.Background(), cmp.Or(spec.Dir, spec.Root), path, spec.Args[1:])
	if err != nil {
		return nil, err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
	return cmd, nil
}

// Main does nothing: there is no helper on Windows.
func Main() int { return 1 }
