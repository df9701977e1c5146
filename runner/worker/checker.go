package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
)

const (
	// SourceLimit is how long a checker may look at one script. People's scripts
	// take milliseconds; a kilobyte written for it keeps the compiler busy for
	// minutes, and nothing but SIGKILL stops it. With the kill, the answer comes
	// within two seconds.
	SourceLimit = runner.SourceTime
	// moduleLimit is the same for the declarations of the tools, which come from
	// our own generator: 12 MB of them take a third of a second.
	moduleLimit = 10 * time.Second
)

// A Checker compiles scripts and checks their types in a worker; it implements
// runner.Compiler and runner.Checker. It belongs to one caller at a time. A
// script that the worker does not survive ends the Checker for good, see Done,
// and gets a diagnostic.
type Checker struct {
	*Process
	answered int                // requests
	beside   runner.TextChecker // in the place of a type checker in this program; nil for none
}

var (
	_ runner.Compiler = (*Checker)(nil)
	_ runner.Checker  = (*Checker)(nil)
)

// StartChecker starts a checker and waits until it is ready.
func StartChecker(ctx context.Context, o Options) (*Checker, error) {
	p, err := start(ctx, roleChecker, o)
	if err != nil {
		return nil, err
	}
	return &Checker{Process: p, beside: o.Types}, nil
}

// Compile implements runner.Compiler. A ctx that ends takes the worker with it:
// nothing else stops a compiler.
func (c *Checker) Compile(ctx context.Context, src runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
	var answer compiled
	lost, err := c.ask(ctx, SourceLimit, question{frameCompile, src, nil, frameCompiled}, &answer)
	if lost != "" {
		answer.Diagnostics = refuse(src, "the script could not be compiled: "+lost)
	}
	return answer.Compiled, answer.Diagnostics, err
}

// Check implements runner.Checker. Like Compile it may cost the worker.
func (c *Checker) Check(ctx context.Context, t runner.TypeCheck) ([]toolscript.Diagnostic, error) {
	if c.hello.Types == "" {
		return c.checkBeside(ctx, t)
	}
	answer, lost, err := c.check(ctx, t)
	if err == nil && answer.Unknown {
		if err := c.declare(ctx, t.Module); err != nil {
			return nil, err
		}
		answer, lost, err = c.check(ctx, t)
	}
	if lost != "" {
		return couldNot(t, lost), nil
	}
	return answer.Diagnostics, err
}

func (c *Checker) check(ctx context.Context, t runner.TypeCheck) (answer checked, lost string, err error) {
	request := checkRequest{Source: t.Source, Returns: t.Returns, Module: t.Module.Key}
	lost, err = c.ask(ctx, limit(t), question{frameCheck, request, nil, frameChecked}, &answer)
	return answer, lost, err
}

// limit is how long a check may take.
func limit(t runner.TypeCheck) time.Duration {
	if t.Limit > 0 {
		return min(SourceLimit, t.Limit)
	}
	return SourceLimit
}

// declare gives the worker declarations it does not have. They are not the
// script's fault.
func (c *Checker) declare(ctx context.Context, d runner.Declarations) error {
	lost, err := c.ask(ctx, moduleLimit, question{frameModule, moduleHeader{d.Key}, []byte(d.Text), frameChecked}, &checked{})
	if lost != "" {
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("the types of the tools could not be read: " + lost)}
	}
	return err
}

// Worn reports whether another worker should take the place of this one, which
// has grown: the compiler's memory is in pieces after so many programs.
func (c *Checker) Worn() bool { return c.answered >= wornRequests || c.RSS() >= wornMemory }

const (
	wornRequests = 20_000
	wornMemory   = 384 << 20
)

// A question is a frame for the worker and the type of the one that answers it.
type question struct {
	kind   frameType
	header any
	raw    []byte
	want   frameType
}

// ask sends a question and waits for its answer, for limit at most. lost says
// why the worker did not survive the question, when that is the question's doing.
func (c *Checker) ask(ctx context.Context, limit time.Duration, q question, answer any) (lost string, err error) {
	stop := context.AfterFunc(ctx, c.Kill)
	full := c.watchMemory()
	lost, err = c.exchange(limit, q, answer)
	if full() && err != nil {
		lost, err = fmt.Sprintf("that took more than %d MB of memory", checkerMemory>>20), nil
	}
	if !stop() {
		return "", context.Cause(ctx)
	}
	c.answered++
	return lost, err
}

func (c *Checker) exchange(limit time.Duration, q question, answer any) (lost string, err error) {
	_ = c.conn.SetDeadline(time.Now().Add(limit)) // an error shows in the write
	err = c.link.writeJSON(q.kind, q.header, q.raw)
	if errors.Is(err, errFrameTooLong) { // nothing was sent, and the worker is well
		return "", &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the source is too long: %w", err)}
	}
	if err == nil {
		err = c.read(q.want, answer)
	}
	if err == nil {
		return "", nil
	}
	c.Kill()
	<-c.done
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("that took longer than %s; deep nesting and types that grow are what takes so long", max(limit, SourceLimit)), nil
	case strings.Contains(c.stderr.String(), "stack exceeds"):
		return "it nests too deep", nil
	}
	return "", c.gone()
}

func (c *Checker) read(want frameType, answer any) error {
	kind, payload, err := c.link.read()
	if err != nil {
		return err
	}
	if kind != want {
		return fmt.Errorf("the checker answered with message %d", kind)
	}
	return json.Unmarshal(payload, answer)
}

// refuse is the answer to a script that the checker did not survive.
func refuse(src runner.Source, message string) []toolscript.Diagnostic {
	file := cmp.Or(src.File, script.DefaultFile)
	return []toolscript.Diagnostic{{File: file, Line: 1, Column: 1, Code: runner.CodeLimit, Message: message}}
}
