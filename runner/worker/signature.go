package worker

import (
	"context"

	"github.com/toolscript/toolscript/runner"
)

var _ runner.Signer = (*Checker)(nil)

// Signature implements runner.Signer. Like Compile, it may end the worker.
func (c *Checker) Signature(ctx context.Context, t runner.TypeCheck) (runner.Signature, error) {
	answer, lost, err := c.sign(ctx, t)
	if err == nil && answer.Unknown {
		if err := c.declare(ctx, t.Module); err != nil {
			return runner.Signature{}, err
		}
		answer, lost, err = c.sign(ctx, t)
	}
	if lost != "" {
		return runner.Signature{Found: checkStopped(t, lost)}, nil
	}
	return answer.Signature, err
}

func (c *Checker) sign(ctx context.Context, t runner.TypeCheck) (answer signed, lost string, err error) {
	request := checkRequest{Source: t.Source, Module: t.Module.Key}
	lost, err = c.ask(ctx, question{kind: frameSign, header: request, want: frameSigned, spent: t.Spent}, &answer)
	return answer, lost, err
}
