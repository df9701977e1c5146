package execution

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Checker looks at the text of scripts.
type Checker interface {
	runner.Compiler
	runner.Checker
}

// compile turns the script into JavaScript, in the checker.
func (w *work) compile(ctx context.Context) (runner.Compiled, error) {
	start := time.Now()
	defer func() { w.metrics.CompileMs = ms(time.Since(start)) }()
	src := runner.Source{Code: w.request.Code, File: w.request.File}
	result, err := w.known.compiled.find(w, "compiled", hash(src.File, src.Code), func() (compilation, bool, error) {
		var r compilation
		err := w.borrow(ctx, toolscript.Parsing, func(ctx context.Context, c Checker) (err error) {
			r.Compiled, r.found, err = c.Compile(ctx, src)
			return err
		})
		w.spent, r.Spent = r.Spent, runner.Effort{} // another run that finds this known has spent nothing
		return r, decided(r.found), err
	})
	if err != nil {
		return runner.Compiled{}, err
	}
	w.report(result.found)
	return result.Compiled, w.refused(toolscript.Parsing, result.found)
}

// check finds what is wrong with the types of a compiled script, before anything
// of it runs. In mode warn it is told and the run goes on.
func (w *work) check(ctx context.Context, compiled runner.Compiled) error {
	if w.mode == toolscript.CheckOff {
		return nil
	}
	start := time.Now()
	defer func() { w.metrics.CheckMs = ms(time.Since(start)) }()
	types, err := w.deps.Types(ctx, compiled.Uses)
	if err != nil {
		return w.fail(toolscript.Checking, err)
	}
	found, err := w.typeErrors(ctx, compiled, types)
	if toolscript.KindOf(err) == toolscript.Unsupported && !w.request.CheckOnly {
		w.host.events.emit(toolscript.Event{Type: toolscript.EventProgress, Message: "types were not checked: " + err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	w.report(found)
	if w.mode == toolscript.CheckWarn {
		return nil
	}
	return w.refused(toolscript.Checking, found)
}

func (w *work) typeErrors(ctx context.Context, compiled runner.Compiled, types runner.Declarations) ([]toolscript.Diagnostic, error) {
	t := runner.TypeCheck{
		Source:  runner.Source{Code: w.request.Code, File: w.request.File},
		Returns: compiled.Returns,
		Spent:   w.spent,
		Module:  types,
	}
	return w.known.checked.find(w, "checked", hash(types.Key, t.File, t.Code), func() (found []toolscript.Diagnostic, keep bool, err error) {
		err = w.borrow(ctx, toolscript.Checking, func(ctx context.Context, c Checker) (err error) {
			found, err = c.Check(ctx, t)
			return err
		})
		return found, decided(found), err
	})
}

// borrow does something with a checker, and once more with another one when the
// first was lost in it and that was not the script's doing, which would have been
// a finding: somebody or something has killed it.
func (w *work) borrow(ctx context.Context, phase toolscript.Phase, use func(context.Context, Checker) error) error {
	lost, err := w.borrowOne(ctx, use)
	if lost {
		_, err = w.borrowOne(ctx, use)
	}
	if err != nil {
		return w.fail(phase, err)
	}
	return nil
}

// borrowOne reports also whether it was the checker that was lost. The error of
// use costs the worker, unless it says that the worker has no means.
func (w *work) borrowOne(ctx context.Context, use func(context.Context, Checker) error) (lost bool, err error) {
	borrowing, cancel := context.WithTimeoutCause(ctx, borrowTime, allBusy("checker"))
	defer cancel()
	checker, giveBack, err := w.deps.Checker(borrowing)
	if err != nil {
		return false, err
	}
	broken := true // until it has answered: a panic must not keep the worker
	defer func() { giveBack(broken) }()
	err = use(ctx, checker)
	kind := toolscript.KindOf(err)
	broken = err != nil && kind != toolscript.Unsupported
	return err != nil && kind == toolscript.Unavailable && ctx.Err() == nil, err
}

// report tells what was found, all of it.
func (w *work) report(found []toolscript.Diagnostic) {
	for _, d := range found {
		w.host.events.emit(toolscript.Event{Type: toolscript.EventDiagnostic, Diagnostic: &d})
	}
}

// refused is the end of a run in whose script something was found.
func (w *work) refused(phase toolscript.Phase, found []toolscript.Diagnostic) error {
	if len(found) == 0 {
		return nil
	}
	return w.fail(phase, &toolscript.Error{Kind: toolscript.CheckFailed, Err: errors.New(summary(found))})
}

// summary is the first finding and how many more there are.
func summary(ds []toolscript.Diagnostic) string {
	first := fmt.Sprintf("%s:%d:%d: %s", ds[0].File, ds[0].Line, ds[0].Column, ds[0].Message)
	if len(ds) == 1 {
		return first
	}
	return fmt.Sprintf("%s (and %d more)", first, len(ds)-1)
}

// decided reports whether the next look at the same text finds the same.
func decided(found []toolscript.Diagnostic) bool {
	for _, d := range found {
		if d.Code == runner.CodeLimit {
			return false
		}
	}
	return true
}
