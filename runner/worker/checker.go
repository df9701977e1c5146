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
	"github.com/toolscript/toolscript/runner/script"
)

// SourceLimit is the maximum time that a checker uses for all steps of one script. Ordinary scripts
// take milliseconds. A hostile script of a kilobyte would keep the compiler busy for minutes, and
// only SIGKILL stops the compiler; with the limit, the answer comes within two seconds. The limit
// counts work (runner.WorkClock), so that a busy machine does not refuse a correct script: a script
// of 20 lines needs 20 ms of work, which a checker gets even with a hundredth of a processor. The
// limit of wall time ends a checker that hangs.
var SourceLimit = runner.Usage{Work: 1800 * time.Millisecond, Wall: 9 * time.Second}

// forChecking is the part of SourceLimit that is reserved for the type check.
var forChecking = runner.Usage{Work: 150 * time.Millisecond, Wall: 2 * time.Second}

// moduleLimit bounds the time that a checker uses for the declarations of the tools, which
// our own generator writes. 12 MB of declarations take a third of a second.
var moduleLimit = runner.Usage{Work: 10 * time.Second, Wall: 50 * time.Second}

// maxCheckerMemory bounds the memory of a checker while it examines one script. With
// 2,000 large tools it holds 210 MB; hostile types take gigabytes.
const maxCheckerMemory = 512 << 20

// A Checker compiles scripts and checks their types in a worker; it implements
// runner.Compiler, runner.Checker and runner.Signer. One caller uses it at a time. A script
// that exceeds the limits gets a diagnostic and ends the worker, see Done.
type Checker struct {
	*Process
	answered int          // number of requests
	spent    runner.Usage // usage of the last request
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
	return &Checker{Process: p}, nil
}

// Compile implements runner.Compiler. When ctx ends, it kills the worker, because nothing
// else stops a compiler.
func (c *Checker) Compile(ctx context.Context, src runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
	var answer compiled
	lost, err := c.ask(ctx, question{kind: frameCompile, header: src, want: frameCompiled, most: SourceLimit.Minus(forChecking)}, &answer)
	if lost != "" {
		answer.Diagnostics = refuse(src, "the script could not be compiled: "+lost+"; deeply nested code needs much time and memory: nest it less")
	}
	answer.Compiled.Spent = c.spent
	return answer.Compiled, answer.Diagnostics, err
}

// Check implements runner.Checker. Like Compile, it may end the worker.
func (c *Checker) Check(ctx context.Context, t runner.TypeCheck) ([]toolscript.Diagnostic, error) {
	answer, lost, err := c.check(ctx, t)
	if err == nil && answer.Unknown {
		if err := c.declare(ctx, t.Module); err != nil {
			return nil, err
		}
		answer, lost, err = c.check(ctx, t)
	}
	if lost != "" {
		return checkStopped(t, lost), nil
	}
	return answer.Diagnostics, err
}

func (c *Checker) check(ctx context.Context, t runner.TypeCheck) (answer checked, lost string, err error) {
	request := checkRequest{Source: t.Source, Returns: t.Returns, Strict: t.Strict, Module: t.Module.Key}
	lost, err = c.ask(ctx, question{kind: frameCheck, header: request, want: frameChecked, spent: t.Spent}, &answer)
	return answer, lost, err
}

// declare sends declarations that the worker does not have. An error of declare is not caused by
// the script.
func (c *Checker) declare(ctx context.Context, d runner.Declarations) error {
	q := question{kind: frameModule, header: moduleHeader{d.Key}, raw: []byte(d.Text), want: frameChecked, most: moduleLimit}
	lost, err := c.ask(ctx, q, &checked{})
	if lost != "" {
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("the types of the tools could not be read: " + lost)}
	}
	return err
}

// Worn reports whether this worker should be replaced: many scripts fragment the memory of
// the compiler.
func (c *Checker) Worn() bool { return c.answered >= wornRequests || c.RSS() >= wornMemory }

const (
	wornRequests = 20_000
	wornMemory   = 384 << 20
)

// A question is a frame for the worker and the type of the frame that answers it.
type question struct {
	kind   frameType
	header any
	raw    []byte
	want   frameType
	most   runner.Usage // limit, which includes spent; default: SourceLimit
	spent  runner.Usage // usage of earlier steps
}

func (q question) bounds() runner.Bounds {
	return runner.Bounds{Memory: maxCheckerMemory, Most: cmp.Or(q.most, SourceLimit), Spent: q.spent}
}

// ask sends a question and decodes its answer. If the question ended the worker, lost is the
// reason.
func (c *Checker) ask(ctx context.Context, q question, answer any) (lost string, err error) {
	stop := context.AfterFunc(ctx, c.Kill)
	watch := runner.StartWatch(c.PID(), q.bounds(), func(error) { c.Kill() })
	lost, err = c.exchange(q, answer)
	c.spent = watch.Usage()
	if over := watch.Stop(); over != nil { // even if the answer came just before the kill
		<-c.done // the pool must not lend a worker that is ending
		lost, err = over.Error(), nil
	}
	if !stop() {
		return "", context.Cause(ctx)
	}
	c.answered++
	return lost, err
}

func (c *Checker) exchange(q question, answer any) (lost string, err error) {
	err = c.link.writeJSON(q.kind, q.header, q.raw)
	if errors.Is(err, errFrameTooLong) { // nothing was sent, so the worker can still be used
		return "", &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the script or its types are too long for a checker: %w", err)}
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
		return "it is too complex", nil
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

// checkStopped returns the diagnostic for a script whose check was stopped, or nil if lost is
// empty.
func checkStopped(t runner.TypeCheck, lost string) []toolscript.Diagnostic {
	if lost == "" {
		return nil
	}
	return refuse(t.Source, "the types of the script could not be checked: "+lost+
		"; recursive types and deeply nested code need much time and memory: simplify the script, or run it without the check: toolscript exec --check off")
}

// refuse returns the diagnostic for a script that exceeded the limits of the checker.
func refuse(src runner.Source, message string) []toolscript.Diagnostic {
	file := cmp.Or(src.File, script.DefaultFile)
	return []toolscript.Diagnostic{{File: file, Line: 1, Column: 1, Code: runner.CodeLimit, Message: message}}
}
