package daemon

import (
	"cmp"
	"crypto/rand"
	"strings"
	"sync"

	"github.com/toolscript/toolscript/harness/agent"
	"github.com/toolscript/toolscript/transport/upstream"
)

// The default bounds of agents.
const (
	defaultDepth = 2
	defaultCalls = 200
)

// launched is an agent. Its spending also counts for all agents above it.
type launched struct {
	id     string
	parent *launched // agent that has launched it; nil for an agent of a user's script
	allow  []string  // servers and tool ids that it may call; nil: all
	depth  int       // 1 for an agent without a parent
	max    bounds
	done   chan struct{} // closed when the agent ends

	mu    *sync.Mutex // shared by the top agent and all agents below it; guards the rest
	state upstream.AgentState
}

type bounds struct{ depth, turns, calls int }

// launch creates an agent that parent launches, within the bounds of both.
func launch(parent *launched, allow []string, r upstream.ModelRequest) (*launched, error) {
	s := r.Settings
	a := &launched{
		id: "agent_" + strings.ToLower(rand.Text()), parent: parent, allow: allow, depth: 1, done: make(chan struct{}), mu: &sync.Mutex{},
		max: bounds{cmp.Or(s.Depth, defaultDepth), within(cmp.Or(s.Turns, agent.DefaultTurns), r.Turns), cmp.Or(s.Calls, defaultCalls)},
	}
	if parent != nil {
		a.depth, a.mu, a.max.depth = parent.depth+1, parent.mu, min(a.max.depth, parent.max.depth)
	}
	if a.depth > a.max.depth {
		return nil, limitError(`agents launch agents at most %d deep, and this agent is at depth %d: do the task without another agent, or raise "depth" in "agents" of the server`, a.max.depth, a.depth-1)
	}
	a.state = upstream.AgentState{ID: a.id, State: upstream.AgentRunning}
	return a, nil
}

// takeTurn spends one turn of the agent and of all agents above it. A nil agent has no bounds.
func (a *launched) takeTurn() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for at := a; at != nil; at = at.parent {
		if at.state.Turns >= at.max.turns {
			return limitError(`the agent and those that it has launched have taken their %d answers; "turns" in "agents" of the server is the bound`, at.max.turns)
		}
	}
	for at := a; at != nil; at = at.parent {
		at.state.Turns++
	}
	return nil
}

// takeCalls reserves at most n tool calls, and returns the number: at least 1 if there is no error.
func (a *launched) takeCalls(n int) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for at := a; at != nil; at = at.parent {
		if n = min(n, at.max.calls-at.state.Calls); n <= 0 {
			return 0, limitError(`the agent and those that it has launched have made their %d tool calls, or reserved them for scripts that run; "calls" in "agents" of the server is the bound`, at.max.calls)
		}
	}
	for at := a; at != nil; at = at.parent {
		at.state.Calls += n
	}
	return n, nil
}

// giveBack returns calls that were reserved and not made.
func (a *launched) giveBack(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for at := a; at != nil; at = at.parent {
		at.state.Calls -= n
	}
}

// used adds the tokens of an answer.
func (a *launched) used(u agent.Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.InputTokens += u.Input
	a.state.OutputTokens += u.Output
}

// end records the end of the agent.
func (a *launched) end(text string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.Content, a.state.State = text, upstream.AgentDone
	if err != nil {
		a.state.State, a.state.Error = upstream.AgentFailed, err.Error()
	}
	close(a.done)
}

func (a *launched) snapshot() upstream.AgentState {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}
