package status

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript"
)

// act performs the action of a key on the selected row.
func (m *model) act(key string) tea.Cmd {
	if key == "v" {
		m.level = (m.level + 1) % len(levels)
		return nil
	}
	about := m.current().about
	wanted, what := map[string]kind{"r": aServer, "l": aServer, "a": aRun, "o": aRequest, "d": aRequest}[key], map[kind]string{aServer: "a server", aRun: "a run that goes on", aRequest: "a call that waits"}
	switch {
	case wanted == nothing:
		return nil
	case about.kind != wanted:
		m.told = fmt.Sprintf("%s needs %s: select one first", key, what[wanted])
		return nil
	case m.gateway == nil:
		m.told = "there is no connection to the gateway"
		return nil
	}
	switch key {
	case "l":
		m.told = "to log in, run at another terminal: " + toolscript.Command("auth", about.id)
	case "r":
		m.confirm("Restart "+about.id+"? Its calls in flight fail.", m.restart(about.id))
	case "a":
		m.confirm("Abort "+about.id+"?", m.abort(about.id))
	case "d":
		m.confirm("Deny the call of "+about.name+"?", m.answer(about, toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny}))
	case "o":
		m.input = &input{prompt: "Code for the call of " + about.name + ": ", enter: func(code string) tea.Cmd {
			return m.answer(about, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Scope: toolscript.ScopeOnce, Code: strings.ToUpper(strings.TrimSpace(code))})
		}}
	}
	return nil
}

// confirm asks before an action that cannot be undone.
func (p *pane) confirm(question string, action tea.Cmd) {
	p.input = &input{prompt: question + " (y/n) ", letter: true, enter: func(text string) tea.Cmd {
		if text != "y" && text != "Y" {
			p.told = "not done"
			return nil
		}
		p.told = "…"
		return action
	}}
}

// actTime bounds an action. A restart waits until the server is connected.
const actTime = 2 * time.Minute

// action sends a request to the current gateway, and reports the result.
func (m *model) action(request func(context.Context, Gateway) (string, error)) tea.Cmd {
	gateway := m.gateway
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(m.ctx, actTime)
		defer cancel()
		text, err := request(ctx, gateway)
		if err != nil {
			return done("failed: " + err.Error())
		}
		return done(text)
	}
}

func (m *model) restart(server string) tea.Cmd {
	return m.action(func(ctx context.Context, g Gateway) (string, error) {
		status, err := g.RestartServer(ctx, server)
		return fmt.Sprintf("%s was restarted; it is %s", server, status.State), err
	})
}

func (m *model) abort(run string) tea.Cmd {
	return m.action(func(ctx context.Context, g Gateway) (string, error) {
		return run + " was aborted", g.AbortRun(ctx, run)
	})
}

func (m *model) answer(about subject, answer toolscript.ApprovalAnswer) tea.Cmd {
	return m.action(func(ctx context.Context, g Gateway) (string, error) {
		done := map[toolscript.ApprovalAction]string{toolscript.ApprovalAllow: "allowed", toolscript.ApprovalDeny: "denied"}[answer.Action]
		return "the call of " + about.name + " was " + done, g.AnswerApproval(ctx, about.id, answer)
	})
}
