package actors

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/runner"
)

// Sign describes the function that a script exports as default. found are the mistakes of
// a script that does not compile. The types of the signature do not depend on the catalog:
// the results of tools have the type any.
func (s *System) Sign(ctx context.Context, src runner.Source) (sig runner.Signature, found []toolscript.Diagnostic, err error) {
	defer rescue.Catch(s.panicked(&err))
	checker, giveBack, err := borrow[runs.Checker](ctx, s, checkersID)
	if err != nil {
		return sig, nil, err
	}
	defer func() { giveBack(err != nil) }()
	compiled, found, err := checker.Compile(ctx, src)
	if err != nil || len(found) > 0 {
		return sig, found, err
	}
	sig, err = runs.Sign(ctx, checker, runner.TypeCheck{Source: src, Spent: compiled.Spent, Module: untyped(compiled.Uses)})
	return sig, nil, err
}

// untyped returns declarations in which servers have the type any.
func untyped(uses runner.Uses) runner.Declarations { return open(noTools, uses.Servers) }
