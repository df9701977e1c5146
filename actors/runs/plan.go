package runs

import (
	"bytes"
	"cmp"
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

// plan has the calls that a run did not make. It is safe for concurrent use.
type plan struct {
	mu    sync.Mutex
	steps []step
	bytes int
}

// step is a planned call. Calls that a script makes at the same time are planned in any order.
type step struct {
	place int // place among the calls of the script
	call  toolscript.PlannedCall
}

// calls returns the calls so far, in the order in which the script made them; nil for a nil plan.
func (p *plan) calls() []toolscript.PlannedCall {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.SortFunc(p.steps, func(a, b step) int { return cmp.Compare(a.place, b.place) })
	out := make([]toolscript.PlannedCall, len(p.steps))
	for i, s := range p.steps {
		out[i] = s.call
	}
	return out
}

func (p *plan) add(place int, c toolscript.PlannedCall) error {
	if len(bytes.TrimSpace(c.Args)) == 0 {
		c.Args = json.RawMessage("{}")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes += len(c.Args); p.bytes > maxPlan {
		return &toolscript.Error{Kind: toolscript.LimitOutput, Err: fmt.Errorf("the arguments of all planned calls have more than %d MB", maxPlan>>20)}
	}
	c.Args = slices.Clone(c.Args)
	p.steps = append(p.steps, step{place, c})
	return nil
}

// plans reports whether a call of a tool is only planned: the run has a plan, and the server
// does not declare the tool as read-only.
func (s *calls) plans(tool toolscript.Tool) bool {
	return s.plan != nil && (tool.Annotations.ReadOnly == nil || !*tool.Annotations.ReadOnly)
}

// answerPlanned ends a planned call of the script.
func (s *calls) answerPlanned(ctx context.Context, c *runCall, tool toolscript.Tool) {
	stub, err := s.planned(ctx, c, tool)
	if err != nil {
		s.answer(c, nil, toolError(tool, tool.ID(), notMade(err)))
		return
	}
	s.end(c, located(c, tool, outcome{value: stub}, nil), nil)
}

// plannedResult returns the result of a planned call over HTTP: the stub as structured content.
func (s *calls) plannedResult(ctx context.Context, c *runCall, tool toolscript.Tool) (json.RawMessage, error) {
	stub, err := s.planned(ctx, c, tool)
	if err != nil {
		return nil, err
	}
	return toolscript.PlainJSON(map[string]any{"content": []any{map[string]string{"type": "text", "text": string(stub)}}, "structuredContent": stub})
}

// planned adds a call to the plan and returns the stub of its result.
func (s *calls) planned(ctx context.Context, c *runCall, tool toolscript.Tool) (json.RawMessage, error) {
	stub, err := s.deps.Stub(ctx, tool, c.Args)
	if err != nil {
		return nil, err
	}
	return stub, s.addToPlan(c, tool.ID())
}

// addToPlan adds a started call to the plan.
func (s *calls) addToPlan(c *runCall, id string) error {
	s.mu.Lock()
	place := c.record
	s.mu.Unlock()
	if err := s.plan.add(place, toolscript.PlannedCall{CallID: c.CallID, Tool: id, Args: c.Args}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if place >= 0 {
		s.records[place].Planned = true
	}
	return nil
}
