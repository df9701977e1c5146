package worker

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
)

// childChecker is the worker's side of a Checker.
type childChecker struct {
	link *link
	// types parses the libraries on its first call, which happens while the first
	// script is compiled.
	types func() *script.Checker
}

// serveChecker answers one request after the other. It returns only on an error.
func (c *child) serveChecker() error {
	script.Compile(runner.Source{Code: "export default 1"}) // the first compilation takes three times as long
	if err := c.reportReady(); err != nil {
		return err
	}
	checker := childChecker{link: c.link, types: sync.OnceValue(script.NewChecker)}
	go checker.types()
	handlers := map[frameType]func(payload []byte) error{
		frameCompile: checker.compile,
		frameCheck:   checker.check,
		frameModule:  checker.declare,
		frameSign:    checker.sign,
	}
	requests := make(chan func() error)
	go c.receive(func(kind frameType, payload []byte) error {
		handle := handlers[kind]
		if handle == nil {
			return fmt.Errorf("a checker was sent message %d", kind)
		}
		requests <- func() error { return handle(payload) }
		return nil
	})
	for answer := range requests {
		if err := answer(); err != nil {
			return err
		}
	}
	return nil
}

func (c *childChecker) compile(payload []byte) error {
	var src runner.Source
	if err := json.Unmarshal(payload, &src); err != nil {
		return err
	}
	var answer compiled
	answer.Compiled, answer.Diagnostics = script.Compile(src)
	return c.link.writeJSON(frameCompiled, answer, nil)
}

func (c *childChecker) check(payload []byte) error {
	var request checkRequest
	if err := json.Unmarshal(payload, &request); err != nil {
		return err
	}
	found, known := c.types().Check(request.Source, request.Returns, request.Module, request.Strict)
	return c.link.writeJSON(frameChecked, checked{Unknown: !known, Diagnostics: found}, nil)
}

func (c *childChecker) sign(payload []byte) error {
	var request checkRequest
	if err := json.Unmarshal(payload, &request); err != nil {
		return err
	}
	signature, known := c.types().Signature(request.Source, request.Module)
	return c.link.writeJSON(frameSigned, signed{Unknown: !known, Signature: signature}, nil)
}

func (c *childChecker) declare(payload []byte) error {
	var header moduleHeader
	text, err := split(payload, &header)
	if err != nil {
		return err
	}
	c.types().Declare(header.Key, string(text))
	return c.link.writeJSON(frameChecked, checked{}, nil)
}
