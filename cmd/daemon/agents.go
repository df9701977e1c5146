package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolscript/toolscript/harness/agent"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxKept is the maximum number of ended agents of agents.launch.async whose results are kept.
const maxKept = 100

// agents implements upstream.Agents with the providers of the configuration.
type agents struct {
	daemon *Daemon

	mu    sync.Mutex
	known map[string]*launched // running agents, and ended ones whose results are kept
	live  int                  // number of running agents
	kept  []string             // ids of kept agents, the oldest first
}

// model is the model that a request has chosen, within the bounds of the configuration.
type model struct {
	*agent.Client
	provider, name string
}

func (g *agents) model(r upstream.ModelRequest) (m model, err error) {
	all := g.daemon.settings.Load().Harness.Providers
	choice := ModelChoice{Provider: cmp.Or(r.Provider, r.Settings.Provider), How: "the argument provider"}
	if choice.Provider, err = providerOf(all, choice); err != nil {
		return m, err
	}
	p := all[choice.Provider]
	if r.Model != "" && r.Model != p.Model && !slices.Contains(r.Settings.Models, r.Model) {
		return m, fmt.Errorf(`the configuration does not allow the model %.80q: name it in "models" of "agents" of the server`, r.Model)
	}
	choice.Model, choice.MaxTokens = r.Model, within(cmp.Or(p.MaxTokens, agent.DefaultTokens), r.Settings.MaxTokens, r.MaxTokens)
	m.name = cmp.Or(r.Model, p.Model)
	m.provider, m.Client, err = Model(all, choice)
	return m, err
}

// within returns the minimum of a bound and of the others that are not 0.
func within(bound int, others ...int) int {
	for _, other := range others {
		if other > 0 {
			bound = min(bound, other)
		}
	}
	return bound
}

// Chat sends one message. Within an agent, it counts as one of the agent's turns.
func (g *agents) Chat(ctx context.Context, r upstream.ModelRequest) (upstream.ChatAnswer, error) {
	m, err := g.model(r)
	if err != nil {
		return upstream.ChatAnswer{}, err
	}
	by, _, err := g.caller(ctx)
	if err != nil {
		return upstream.ChatAnswer{}, err
	}
	if err := by.takeTurn(); err != nil {
		return upstream.ChatAnswer{}, err
	}
	a, err := m.Send(ctx, agent.Request{System: r.System, Items: []json.RawMessage{agent.UserText(r.Text)}})
	if err != nil {
		return upstream.ChatAnswer{}, err
	}
	text, err := agent.Text(a.Items, m.API())
	if err != nil {
		return upstream.ChatAnswer{}, errors.New(m.Without(err.Error()))
	}
	return upstream.ChatAnswer{
		Content: m.Without(text), Cut: a.Cut, Provider: m.provider, Model: m.name, InputTokens: a.Usage.Input, OutputTokens: a.Usage.Output,
	}, nil
}

type agentKey struct{}

// caller returns the agent that makes a call, or nil if there is none, and what the call
// may reach.
func (g *agents) caller(ctx context.Context) (by *launched, allow []string, err error) {
	if by, ok := ctx.Value(agentKey{}).(*launched); ok { // a structured call
		return by, by.allow, nil
	}
	run := tool.RunOf(ctx)
	if run == "" {
		return nil, upstream.AllowOf(ctx), nil
	}
	record, err := g.daemon.Run(ctx, run)
	if err != nil || record.Agent == "" {
		return nil, record.Allow, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if by = g.known[record.Agent]; by == nil {
		return nil, nil, errors.New("the agent of this script has ended")
	}
	return by, record.Allow, nil
}

// Launch runs an agent to its end.
func (g *agents) Launch(ctx context.Context, r upstream.ModelRequest) (upstream.AgentResult, error) {
	a, err := g.begin(ctx, r)
	if err != nil {
		return upstream.AgentResult{}, err
	}
	defer g.over(a, false)
	err = g.run(ctx, a, r)
	return a.snapshot().AgentResult, err
}

// Begin starts an agent in the background and returns its id.
func (g *agents) Begin(ctx context.Context, r upstream.ModelRequest, background func(func(context.Context))) (string, error) {
	a, err := g.begin(ctx, r)
	if err != nil {
		return "", err
	}
	background(func(ctx context.Context) {
		defer g.over(a, true)
		_ = g.run(ctx, a, r) // the state of the agent has the error
	})
	return a.id, nil
}

// Result waits for the end of an agent, at most for wait, and returns its state.
func (g *agents) Result(ctx context.Context, id string, wait time.Duration) (upstream.AgentState, error) {
	g.mu.Lock()
	a := g.known[id]
	g.mu.Unlock()
	if a == nil {
		return upstream.AgentState{}, fmt.Errorf("there is no agent %.80q: agents end with their gateway, and the results of the last %d are kept", id, maxKept)
	}
	if wait > 0 {
		waiting, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		select {
		case <-a.done:
		case <-waiting.Done():
		}
	}
	return a.snapshot(), ctx.Err()
}

// begin creates an agent that belongs to the caller.
func (g *agents) begin(ctx context.Context, r upstream.ModelRequest) (*launched, error) {
	if _, err := g.model(r); err != nil {
		return nil, err
	}
	by, allow, err := g.caller(ctx)
	if err != nil {
		return nil, err
	}
	a, err := launch(by, allow, r)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.live >= upstream.MaxAgents {
		return nil, fmt.Errorf("%d agents run already: wait for the end of one", g.live)
	}
	g.live++
	g.known[a.id] = a
	return a, nil
}

// over removes an agent that has ended, or keeps its result.
func (g *agents) over(a *launched, keep bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.live--
	if !keep {
		delete(g.known, a.id)
		return
	}
	if g.kept = append(g.kept, a.id); len(g.kept) > maxKept {
		delete(g.known, g.kept[0])
		g.kept = g.kept[1:]
	}
}
