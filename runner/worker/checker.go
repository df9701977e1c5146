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

// A Checker compiles scripts in a worker, one at a time; it implements
// runner.Compiler. A script that the worker does not survive ends the Checker
// for good: see Done. The script that did it gets a diagnostic, those that wait
// an error.
type Checker struct {
	*Process
	turn chan struct{} // holds one token: whose turn it is to use the worker
}

var _ runner.Compiler = (*Checker)(nil)

// StartChecker starts a checker and waits until it is ready.
func StartChecker(ctx context.Context, o Options) (*Checker, error) {
	p, err := start(ctx, roleChecker, o)
	if err != nil {
		return nil, err
	}
	c := &Checker{Process: p, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c, nil
}

// Compile implements runner.Compiler. A caller whose ctx ends leaves the worker
// to its script: it is free again at most two seconds later.
func (c *Checker) Compile(ctx context.Context, src runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
	select {
	case <-c.turn:
	case <-c.done:
		return runner.Compiled{}, nil, c.gone()
	case <-ctx.Done():
		return runner.Compiled{}, nil, context.Cause(ctx)
	}
	type result struct {
		compiled
		err error
	}
	results := make(chan result, 1)
	go func() {
		answer, err := c.exchange(src)
		c.turn <- struct{}{}
		results <- result{answer, err}
	}()
	select {
	case r := <-results:
		return r.Compiled, r.Diagnostics, r.err
	case <-ctx.Done():
		return runner.Compiled{}, nil, context.Cause(ctx)
	}
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
