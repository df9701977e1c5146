package runs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Checker compiles scripts and checks their types.
type Checker interface {
	runner.Compiler
	runner.Checker
}

// compile turns the script into JavaScript.
func (w *work) compile(ctx context.Context) (runner.Compiled, error) {
	start := time.Now()
	defer func() { w.metrics.CompileMs = ms(time.Since(start)) }()
	src := w.source()
	src.Dialect = w.request.Dialect
	result, err := w.shared.cache.compiled.find(w, "compiled", hash(src.Texts()...), func() (compilation, bool, error) {
		var r compilation
		err := w.borrow(ctx, toolscript.Parsing, func(ctx context.Context, c Checker) (err error) {
			r.Compiled, r.found, err = c.Compile(ctx, src)
			return err
		})
		w.spent, r.Spent = r.Spent, runner.Usage{} // a run with a cached compilation spends nothing
		return r, Decided(r.found), err
	})
	if err != nil {
		return runner.Compiled{}, err
	}
	if src.Dialect == toolscript.DialectHarness {
		w.facts = w.factsOf(result)
	}
	w.report(result.found)
	return result.Compiled, w.refused(toolscript.Parsing, result.found)
}

// source returns the script with its modules.
func (w *work) source() runner.Source {
	return runner.Source{Code: w.request.Code, File: w.request.File, Modules: w.request.Modules}
}

// sourceBytes returns the length of the script with its modules.
func (w *work) sourceBytes() int64 {
	n := len(w.request.Code)
	for _, m := range w.request.Modules {
		n += len(m.Code)
	}
	return int64(n)
}

// factsOf returns the facts about a compiled script; nil for a script that does not compile.
func (w *work) factsOf(c compilation) *toolscript.ScriptFacts {
	if len(c.found) > 0 {
		return nil
	}
	return &toolscript.ScriptFacts{HasReturn: c.Returns, Tools: w.named(c.Tools), MayUseAll: c.Uses.All, Cached: len(w.metrics.Cached) > 0}
}

// check finds type errors before the script runs. In mode warn they are emitted and the run
// continues.
func (w *work) check(ctx context.Context, compiled runner.Compiled) error {
	if err := w.sign(ctx, compiled); err != nil {
		return err
	}
	if w.request.Check == toolscript.CheckOff {
		return nil
	}
	start := time.Now()
	defer func() { w.metrics.CheckMs = ms(time.Since(start)) }()
	found, err := w.typeErrors(ctx, compiled)
	if err == nil && len(found) > 0 && w.deps.Reread != nil && w.deps.Reread(ctx, w.used(compiled.Uses)) {
		found, err = w.typeErrors(ctx, compiled) // the types may have changed
	}
	if err != nil {
		return err
	}
	if w.deps.Advise != nil {
		found = w.deps.Advise(ctx, found, w.request.Allow, w.names())
	}
	w.report(found)
	if w.request.Check == toolscript.CheckWarn {
		return nil
	}
	return w.refused(toolscript.Checking, found)
}

func (w *work) typeErrors(ctx context.Context, compiled runner.Compiled) ([]toolscript.Diagnostic, error) {
	types, err := w.types(ctx, compiled.Uses)
	if err != nil {
		return nil, w.fail(toolscript.Checking, err)
	}
	t := runner.TypeCheck{
		Source:  w.source(),
		Returns: compiled.Returns,
		Strict:  w.request.Strict,
		Spent:   w.spent,
		Module:  types,
	}
	return w.shared.cache.checked.find(w, "checked", hash(append(t.Texts(), types.Key, strconv.FormatBool(t.Strict))...), func() (found []toolscript.Diagnostic, keep bool, err error) {
		err = w.borrow(ctx, toolscript.Checking, func(ctx context.Context, c Checker) (err error) {
			found, err = c.Check(ctx, t)
			return err
		})
		return found, Decided(found), err
	})
}

// borrow calls use with a checker, and with a second one if the first was lost. Only a checker that was killed from
// outside is lost: a script that exceeds the limits of the checker gets a finding instead.
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

// borrowOne calls use with one checker and reports whether the checker was lost. After an error
// of use the checker is replaced.
func (w *work) borrowOne(ctx context.Context, use func(context.Context, Checker) error) (lost bool, err error) {
	borrowing, cancel := context.WithTimeoutCause(ctx, borrowTime, allBusy("checker"))
	defer cancel()
	checker, giveBack, err := w.deps.Checker(borrowing)
	if err != nil {
		return false, err
	}
	broken := true // until the checker has answered; stays true after a panic
	defer func() { giveBack(broken) }()
	err = use(ctx, checker)
	broken = err != nil
	return err != nil && toolscript.KindOf(err) == toolscript.Unavailable && ctx.Err() == nil, err
}

// report emits all findings.
func (w *work) report(found []toolscript.Diagnostic) {
	for _, d := range found {
		w.events.emit(toolscript.Event{Type: toolscript.EventDiagnostic, Diagnostic: &d})
	}
}

// refused returns the error of a run with findings; nil without findings.
func (w *work) refused(phase toolscript.Phase, found []toolscript.Diagnostic) error {
	if len(found) == 0 {
		return nil
	}
	return w.fail(phase, &toolscript.Error{Kind: toolscript.CheckFailed, Err: errors.New(summary(found))})
}

// summary returns the first finding and the number of the others.
func summary(ds []toolscript.Diagnostic) string {
	first := fmt.Sprintf("%s:%d:%d: %s", ds[0].File, ds[0].Line, ds[0].Column, ds[0].Message)
	if len(ds) == 1 {
		return first
	}
	return fmt.Sprintf("%s (and %d more)", first, len(ds)-1)
}

// Decided reports whether a check of the same text would have the same findings. It returns false if the limits of
// the checker were exceeded.
func Decided(found []toolscript.Diagnostic) bool {
	for _, d := range found {
		if d.Code == runner.CodeLimit {
			return false
		}
	}
	return true
}
