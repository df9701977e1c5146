package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/toolscript/toolscript"
)

// holdDelay bounds the wait for descendants of the program that keep its output open.
const holdDelay = time.Second

// Runner runs programs. On Windows there is no helper: programs are not confined, and only
// the program itself is killed, not its descendants.
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
	limited := ctx
	if spec.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, spec.Timeout)
		defer cancel()
	}
	output, began := newTranscript(spec.MaxOutput, spec.Room), time.Now()
	cmd := exec.CommandContext(limited, spec.Args[0], spec.Args[1:]...) //nolint:gosec // it runs the command of the tool's caller
	cmd.Dir, cmd.Env, cmd.WaitDelay = spec.Dir, spec.Env, holdDelay
	if cmd.Dir == "" {
		cmd.Dir = spec.Root
	}
	if spec.Stdin != "" {
		cmd.Stdin = strings.NewReader(spec.Stdin)
	}
	cmd.Stdout, cmd.Stderr = stream{output, &output.out}, stream{output, &output.err}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		kind := toolscript.Forbidden
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			kind = toolscript.NotFound
		}
		return Result{}, &toolscript.Error{Kind: kind, Err: fmt.Errorf("cannot start %q: %w", spec.Args[0], err)}
	}
	_ = cmd.Wait() // the result is in cmd.ProcessState
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

// Main does nothing: there is no helper on Windows.
func Main() int { return 1 }
