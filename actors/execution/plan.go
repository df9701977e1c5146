package execution

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/toolscript/toolscript"
)

// maxPlan bounds the arguments of the calls of one plan, in bytes. The last event of the
// run has all of them.
const maxPlan = 4 << 20

// plan has the calls that a run did not make, in their order. It is safe for concurrent
// use.
type plan struct {
	mu    sync.Mutex
	calls []toolscript.PlannedCall
	bytes int
}

// steps returns the calls so far. A nil plan has none.
func (p *plan) steps() []toolscript.PlannedCall {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]toolscript.PlannedCall{}, p.calls...)
}

func (p *plan) add(c toolscript.PlannedCall) error {
	if len(bytes.TrimSpace(c.Args)) == 0 {
		c.Args = json.RawMessage("{}")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes += len(c.Args); p.bytes > maxPlan {
		return &toolscript.Error{Kind: toolscript.LimitOutput, Err: fmt.Errorf("the arguments of all planned calls have more than %d MB", maxPlan>>20)}
	}
	c.Args = slices.Clone(c.Args)
	p.calls = append(p.calls, c)
	return nil
}

// plans reports whether a call of a tool is only planned: the run has a plan, and its
// server does not say that the tool only reads.
func (s *calls) plans(tool toolscript.Tool) bool {
	return s.plan != nil && (tool.Annotations.ReadOnly == nil || !*tool.Annotations.ReadOnly)
}

// answerPlanned ends a planned call of the script.
func (s *calls) answerPlanned(ctx context.Context, c *call, tool toolscript.Tool) {
	stub, err := s.planned(ctx, c, tool)
	if err != nil {
		s.answer(c, nil, toolError(tool, tool.ID(), err))
		return
	}
	s.answer(c, located(c, tool, stub, nil), nil)
}

// plannedResult is the result of a planned call over HTTP: the stub as structured
// content.
func (s *calls) plannedResult(ctx context.Context, c *call, tool toolscript.Tool) (json.RawMessage, error) {
	stub, err := s.planned(ctx, c, tool)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": string(stub)}}, "structuredContent": stub})
}

// planned adds a call to the plan and returns the stub of its result.
func (s *calls) planned(ctx context.Context, c *call, tool toolscript.Tool) (json.RawMessage, error) {
	stub, err := s.deps.Stub(ctx, tool, c.Args)
	if err == nil {
		err = s.plan.add(toolscript.PlannedCall{CallID: c.CallID, Tool: tool.ID(), Args: c.Args})
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.record >= 0 {
		s.records[c.record].Planned = true
	}
	return stub, nil
}
