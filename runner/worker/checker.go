package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/proc"
	"github.com/toolscript/toolscript/runner/script"
)

const (
	// SourceLimit is how long a checker may work on one script, compiling it and
	// checking its types together. People's scripts take milliseconds; a kilobyte
	// written for it keeps the compiler busy for minutes, and nothing but SIGKILL
	// stops it. With the kill, the answer comes within two seconds, or on a busy
	// machine when the checker has had so much of it (proc.Clock): an innocent
	// script is not to blame for what else is to do.
	SourceLimit = 1800 * time.Millisecond
	// leastLimit is what checking gets of that even if compiling took all.
	leastLimit = 150 * time.Millisecond
	// moduleLimit is how long a checker may work on the declarations of the tools,
	// which come from our own generator: 12 MB of them take a third of a second.
	moduleLimit = 10 * time.Second
	// patience is how many times longer an answer may take than the checker may work
	// on it. A script of 20 lines, which is 20 ms of work, has its answer on a machine
	// that gives its checker a hundredth of a processor, and one that hangs ends.
	patience = 5
	// checkerMemory is what a checker may hold while it looks at one script. With
	// 2,000 large tools it holds 210 MB, and types written for it take gigabytes.
	checkerMemory = 512 << 20
)

// A Checker compiles scripts and checks their types in a worker; it implements
// runner.Compiler and runner.Checker. It belongs to one caller at a time. A
// script that the worker does not survive ends the Checker for good, see Done,
// and gets a diagnostic.
type Checker struct {
	*Process
	answered int                // requests
	worked   time.Duration      // on the last one
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
	lost, err := c.ask(ctx, question{kind: frameCompile, header: src, want: frameCompiled}, &answer)
	if lost != "" {
		answer.Diagnostics = refuse(src, "the script could not be compiled: "+lost)
	}
	answer.Compiled.Worked = c.worked
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
	lost, err = c.ask(ctx, question{kind: frameCheck, header: request, want: frameChecked, spent: spent(t)}, &answer)
	return answer, lost, err
}

// spent is what is gone of SourceLimit when a check begins.
func spent(t runner.TypeCheck) time.Duration { return min(t.Worked, SourceLimit-leastLimit) }

// declare gives the worker declarations it does not have. They are not the
// script's fault.
func (c *Checker) declare(ctx context.Context, d runner.Declarations) error {
	q := question{kind: frameModule, header: moduleHeader{d.Key}, raw: []byte(d.Text), want: frameChecked}
	lost, err := c.ask(ctx, q, &checked{})
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
	spent  time.Duration // of what the worker may work on it
}

func (q question) bounds() proc.Bounds {
	work := SourceLimit
	if q.kind == frameModule {
		work = moduleLimit
	}
	return proc.Bounds{Memory: checkerMemory, Work: work, Spent: q.spent, Wall: patience * work}
}

// ask sends a question and waits for its answer. lost says why the worker did not
// survive the question, when that is the question's doing.
func (c *Checker) ask(ctx context.Context, q question, answer any) (lost string, err error) {
	stop := context.AfterFunc(ctx, c.Kill)
	watch := proc.StartWatch(c.PID(), q.bounds(), func(error) { c.Kill() })
	lost, err = c.exchange(q, answer)
	c.worked = watch.Worked()
	if over := watch.Stop(); over != nil && err != nil {
		lost, err = tooMuch(over), nil
	}
	if !stop() {
		return "", context.Cause(ctx)
	}
	c.answered++
	return lost, err
}

// tooMuch says what the worker was killed for.
func tooMuch(over *toolscript.Error) string {
	if over.Kind == toolscript.LimitTime {
		return over.Error() + "; deep nesting and types that grow are what takes so long"
	}
	return over.Error()
}

func (c *Checker) exchange(q question, answer any) (lost string, err error) {
	err = c.link.writeJSON(q.kind, q.header, q.raw)
	if errors.Is(err, errFrameTooLong) { // nothing was sent, and the worker is well
		return "", &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("that is too long for a checker: %w", err)}
	}
	if err == nil {
		err = c.read(q.want, answer)
	}
	if err == nil {
		return "", nil
	}
	c.Kill()
	<-c.done
	if strings.Contains(c.stderr.String(), "stack exceeds") {
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
