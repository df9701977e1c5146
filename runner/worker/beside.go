package worker

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// checkBeside has another program check the types. The script's text goes there
// from the worker, and what is found comes back through it: nothing reads a script
// in the gateway. What the program cannot do is no fault of the worker.
func (c *Checker) checkBeside(ctx context.Context, t runner.TypeCheck) ([]toolscript.Diagnostic, error) {
	if c.beside == nil {
		return nil, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New(
			"this build of toolscript has no type checker, and there is neither tsc 7 nor deno in PATH")}
	}
	request := checkRequest{Source: t.Source, Returns: t.Returns}
	var text typedText
	lost, err := c.ask(ctx, question{kind: frameTyped, header: request, want: frameText, spent: t.Spent}, &text)
	if err != nil || lost != "" || text.None {
		return couldNot(t, lost), err
	}
	t.Spent = t.Spent.Plus(c.spent)
	found, err := c.beside.CheckText(ctx, text.Text, t.Module, SourceLimit.Minus(t.Spent))
	switch kind := toolscript.KindOf(err); {
	case err != nil && context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case kind == toolscript.LimitTime || kind == toolscript.LimitMemory:
		return couldNot(t, err.Error()), nil
	case err != nil:
		return nil, &toolscript.Error{Kind: toolscript.Unsupported, Err: err}
	}
	var answer checked // finding places is as little work as making the text was, which they are places of
	lost, err = c.ask(ctx, question{kind: framePlace, header: placeRequest{request, found}, want: frameChecked, spent: t.Spent}, &answer)
	if lost != "" {
		return couldNot(t, lost), nil
	}
	return answer.Diagnostics, err
}

// couldNot is the finding about a script whose check had to be ended; none when
// nothing was lost.
func couldNot(t runner.TypeCheck, lost string) []toolscript.Diagnostic {
	if lost == "" {
		return nil
	}
	return refuse(t.Source, "the types of the script could not be checked: "+lost+
		"; types that grow and code that nests deep take so much: simplify it, or run it unchecked: toolscript exec --check off")
}
