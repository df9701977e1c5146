package runs

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Sign describes the function that a script exports as default. In t.Module the servers that the
// script uses have the type any, so that the signature depends only on the text of the script.
func Sign(ctx context.Context, c Checker, t runner.TypeCheck) (runner.Signature, error) {
	signer, ok := c.(runner.Signer)
	if !ok {
		return runner.Signature{}, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("the type checker of this gateway cannot describe the function of a script")}
	}
	return signer.Signature(ctx, t)
}

// sign computes the signature of the script, which becomes the value of the run, and emits the findings about it.
func (w *work) sign(ctx context.Context, compiled runner.Compiled) error {
	if !w.request.Signature {
		return nil
	}
	t := runner.TypeCheck{Source: w.source(), Spent: w.spent, Module: w.deps.Untyped(compiled.Uses)}
	var s runner.Signature
	err := w.borrow(ctx, toolscript.Checking, func(ctx context.Context, c Checker) (err error) {
		s, err = Sign(ctx, c, t)
		return err
	})
	if err != nil {
		return err
	}
	w.report(s.Found)
	if s.Fatal || !Decided(s.Found) {
		return w.refused(toolscript.Checking, s.Found)
	}
	w.signature, err = toolscript.PlainJSON(s)
	return err
}
