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

// compileLimit is how long a checker may look at one script. People's scripts
// take milliseconds; a kilobyte written for it keeps the compiler busy for
// minutes, and nothing but SIGKILL stops it.
const compileLimit = 2 * time.Second

// A Checker compiles scripts in a worker; it implements runner.Compiler. It
// belongs to one caller at a time. A script that the worker does not survive
// ends the Checker for good, see Done, and gets a diagnostic.
type Checker struct{ *Process }

var _ runner.Compiler = (*Checker)(nil)

// StartChecker starts a checker and waits until it is ready.
func StartChecker(ctx context.Context, o Options) (*Checker, error) {
	p, err := start(ctx, roleChecker, o)
	if err != nil {
		return nil, err
	}
	return &Checker{p}, nil
}

// Compile implements runner.Compiler. A ctx that ends takes the worker with it:
// nothing else stops a compiler.
func (c *Checker) Compile(ctx context.Context, src runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
	stop := context.AfterFunc(ctx, c.Kill)
	answer, err := c.exchange(src)
	if !stop() {
		return runner.Compiled{}, nil, context.Cause(ctx)
	}
	return answer.Compiled, answer.Diagnostics, err
}

// exchange sends one source and waits for its answer, as long as it may take.
func (c *Checker) exchange(src runner.Source) (compiled, error) {
	_ = c.conn.SetDeadline(time.Now().Add(compileLimit)) // an error shows in the write
	err := c.link.writeJSON(frameCompile, src, nil)
	if errors.Is(err, errFrameTooLong) { // nothing was sent, and the worker is well
		return compiled{}, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the source is too long: %w", err)}
	}
	var answer compiled
	if err == nil {
		answer, err = c.answer()
	}
	if err == nil {
		return answer, nil
	}
	c.Kill()
	<-c.done
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(src, fmt.Sprintf("the script could not be compiled within %s; deep nesting is what takes so long", compileLimit)), nil
	case strings.Contains(c.stderr.String(), "stack exceeds"):
		return refuse(src, "the script could not be compiled: it nests too deep for the compiler"), nil
	}
	return compiled{}, c.gone()
}

func (c *Checker) answer() (answer compiled, err error) {
	kind, payload, err := c.link.read()
	if err != nil {
		return compiled{}, err
	}
	if kind != frameCompiled {
		return compiled{}, fmt.Errorf("the checker answered with message %d", kind)
	}
	return answer, json.Unmarshal(payload, &answer)
}

// refuse is the answer to a script that the checker did not survive.
func refuse(src runner.Source, message string) compiled {
	file := cmp.Or(src.File, script.DefaultFile)
	return compiled{Diagnostics: []toolscript.Diagnostic{{File: file, Line: 1, Column: 1, Code: "limit", Message: message}}}
}
