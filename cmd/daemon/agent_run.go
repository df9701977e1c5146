package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/agent"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/upstream"
)

// run lets an agent work on its task, and records the end in its state. It ends with ctx.
func (g *agents) run(ctx context.Context, a *launched, r upstream.ModelRequest) (err error) {
	// The values of ctx belong to the call that launches the agent, not to the agent's calls.
	working, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	var text string
	err = errors.New("a fault of toolscript ended the agent; the log has its stack")
	defer func() { a.end(text, err) }()
	m, err := g.model(r)
	if err != nil {
		return err
	}
	servers, err := g.servers(working, a.allow)
	if err != nil {
		return err
	}
	system := agent.Instructions(servers)
	if r.System != "" {
		system += "\n" + r.System
	}
	loop := agent.Loop{Model: spending{m, a}, System: system, Turns: a.max.turns, Process: func(ctx context.Context, items []json.RawMessage) ([]json.RawMessage, error) {
		return g.process(ctx, a, m, r.Cwd, items)
	}}
	result, err := loop.Run(working, r.Text)
	text = m.Without(result.Text)
	if err != nil {
		err = &toolscript.Error{Kind: toolscript.KindOf(err), Err: errors.New(m.Without(err.Error()))}
	}
	return err
}

// servers returns the identifiers, as in scripts, of the servers that may be reached.
func (g *agents) servers(ctx context.Context, allow toolscript.Filter) (names []string, err error) {
	all, err := g.daemon.Servers(ctx)
	for _, s := range all {
		if !s.Disabled && allow.Reaches(s.Name) {
			names = append(names, naming.ServerIdentifier(s.Name))
		}
	}
	slices.Sort(names)
	return names, err
}

// process runs the scripts and calls of an agent's answer. Approvals are required as in any
// other run.
func (g *agents) process(ctx context.Context, a *launched, m model, cwd string, items []json.RawMessage) (done []json.RawMessage, err error) {
	list, err := json.Marshal(items)
	if err != nil {
		return nil, err
	}
	err = g.daemon.process(ctx, agentGateway{g.daemon, a}, toolscript.HarnessRequest{
		Items: list, API: string(m.API()), Provider: m.provider, Cwd: cwd, Allow: a.allow, ConversationID: a.id,
	}, func(item json.RawMessage) error {
		done = append(done, item) // agent.Results omits progress
		return nil
	})
	return done, err
}

// spending is a model whose answers count as turns of an agent.
type spending struct {
	model
	agent *launched
}

// Send implements agent.Model.
func (s spending) Send(ctx context.Context, r agent.Request) (agent.Answer, error) {
	if err := s.agent.takeTurn(); err != nil {
		return agent.Answer{}, err
	}
	answer, err := s.model.Send(ctx, r)
	s.agent.used(answer.Usage)
	return answer, err
}

// agentGateway runs the scripts and calls of one agent, within its budget of calls.
type agentGateway struct {
	*Daemon
	agent *launched
}

var _ harness.Gateway = agentGateway{}

// Exec implements harness.Gateway.
func (g agentGateway) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	req.Client = "agents.launch"
	return g.exec(ctx, req, emit)
}

// exec runs a script of the agent. It reserves the calls that the script may make, and
// afterwards returns those that neither the script nor saved scripts have made. If the
// number of calls is unknown, the script may have made all of them.
func (g agentGateway) exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	granted, err := g.agent.takeCalls(int(req.Limits.ToolCalls))
	if err != nil {
		return err
	}
	made := granted
	defer func() { g.agent.giveBack(granted - min(made, granted)) }()
	req.Agent, req.Limits.ToolCalls = g.agent.id, int64(granted)
	err = g.Daemon.Exec(ctx, req, func(e toolscript.Event) error {
		if e.Type == toolscript.EventEnd && e.Metrics != nil {
			made = e.Metrics.ToolCalls
		}
		return emit(e)
	})
	if err != nil { // the script did not start
		made = 0
	}
	return err
}

// CallTool implements harness.Gateway.
func (g agentGateway) CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	if _, err := g.agent.takeCalls(1); err != nil {
		return nil, err
	}
	call.Client = "agents.launch"
	return g.Daemon.CallTool(context.WithValue(ctx, agentKey{}, g.agent), call)
}

// limitError returns the error of an agent that has reached a bound of the configuration.
func limitError(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.LimitCalls, Err: fmt.Errorf(format, args...)}
}
