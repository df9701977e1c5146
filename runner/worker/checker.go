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

// SourceLimit is what a checker may do for one script, from its first step to its
// last. People's scripts take milliseconds; a kilobyte written for it keeps the
// compiler busy for minutes, and nothing but SIGKILL stops it. With the kill, the
// answer comes within two seconds, or on a busy machine when the checker has had
// so much of it (proc.Clock): an innocent script is not to blame for what else is
// to do. A script of 20 lines, which is 20 ms of work, has its answer on a machine
// that gives its checker a hundredth of a processor, and one that hangs ends.
var SourceLimit = runner.Effort{Work: 1800 * time.Millisecond, Wall: 9 * time.Second}

// forChecking is what compiling leaves of it to the check of the types.
var forChecking = runner.Effort{Work: 150 * time.Millisecond, Wall: 2 * time.Second}

// moduleLimit is what a checker may do for the declarations of the tools, which
// come from our own generator: 12 MB of them take a third of a second.
var moduleLimit = runner.Effort{Work: 10 * time.Second, Wall: 50 * time.Second}

// checkerMemory is what a checker may hold while it looks at one script. With
// 2,000 large tools it holds 210 MB, and types written for it take gigabytes.
const checkerMemory = 512 << 20

// A Checker compiles scripts and checks their types in a worker; it implements
// runner.Compiler and runner.Checker. It belongs to one caller at a time. A
// script that the worker does not survive ends the Checker for good, see Done,
// and gets a diagnostic.
type Checker struct {
	*Process
	answered int                // requests
	spent    runner.Effort      // on the last one
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
	lost, err := c.ask(ctx, question{kind: frameCompile, header: src, want: frameCompiled, most: SourceLimit.Minus(forChecking)}, &answer)
	if lost != "" {
		answer.Diagnostics = refuse(src, "the script could not be compiled: "+lost+"; code that nests deep takes so much: nest it less")
	}
	answer.Compiled.Spent = c.spent
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
	lost, err = c.ask(ctx, question{kind: frameCheck, header: request, want: frameChecked, spent: t.Spent}, &answer)
	return answer, lost, err
}

// declare gives the worker declarations it does not have. They are not the
// script's fault.
func (c *Checker) declare(ctx context.Context, d runner.Declarations) error {
	q := question{kind: frameModule, header: moduleHeader{d.Key}, raw: []byte(d.Text), want: frameChecked, most: moduleLimit}
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
	most   runner.Effort // that the worker may do, with what is spent; default: SourceLimit
	spent  runner.Effort // by earlier steps
}

func (q question) bounds() proc.Bounds {
	return proc.Bounds{Memory: checkerMemory, Most: cmp.Or(q.most, SourceLimit), Spent: q.spent}
}

// ask sends a question and waits for its answer. lost says why the worker did not
// survive the question, when that is the question's doing.
func (c *Checker) ask(ctx context.Context, q question, answer any) (lost string, err error) {
	stop := context.AfterFunc(ctx, c.Kill)
	watch := proc.StartWatch(c.PID(), q.bounds(), func(error) { c.Kill() })
	lost, err = c.exchange(q, answer)
	c.spent = watch.Effort()
	if over := watch.Stop(); over != nil { // also when the answer came just before the kill
		<-c.done // a worker that ends must not seem free for the next script
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
