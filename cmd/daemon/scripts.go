package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/transport/upstream"
)

// dialScripts opens the server of the saved scripts.
func (d *Daemon) dialScripts(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (*upstream.Conn, error) {
	tools, skills, err := d.scriptTools(ctx, cfg.Scripts, on)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Server: name, Err: err}
	}
	return upstream.New(upstream.Options{
		Name: name, Info: upstream.Info{Title: "Saved scripts", Version: toolscript.Version}, Tools: tools, Texts: skills, Qualified: true, Events: on, Answers: d.answers,
	}), nil
}

// scriptTools describes scripts as tools and as skills, whose texts it returns by their URIs. It leaves out a script that has mistakes or
// cannot be examined, and logs the reason.
func (d *Daemon) scriptTools(ctx context.Context, scripts []toolscript.SavedScript, on upstream.Events) (tools *upstream.List, skills map[string]string, err error) {
	select {
	case <-d.ready: // the actors exist
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	tools, skills = &upstream.List{}, map[string]string{}
	for _, s := range scripts {
		sig, err := signed(ctx, d.Sign, s)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err != nil {
			on.Log(slog.LevelWarn, err.Error()+"; the script is left out")
			continue
		}
		tool := describeScript(s, sig)
		if skill, text, ok := scriptSkill(tool); ok {
			tools.Add(upstream.Tool{Tool: skill})
			skills[skill.Name] = text
		}
		tools.Add(upstream.Tool{Tool: tool, Run: func(ctx context.Context, run string, args json.RawMessage) (any, error) {
			return d.callScript(ctx, s, run, args)
		}})
	}
	return tools, skills, nil
}

// signed returns the signature of a script, or an error with the position of a mistake that
// prevents its use. If the signature is undecided, the parameters are unknown.
func signed(ctx context.Context, sign sign, s toolscript.SavedScript) (runner.Signature, error) {
	sig, found, err := sign(ctx, runner.Source{Code: s.Code, File: s.Name + config.ScriptExtension})
	if err != nil {
		return sig, fmt.Errorf("%s: %w", s.Path, err)
	}
	if len(found) == 0 && (sig.Fatal || !runs.Decided(sig.Found)) {
		found = sig.Found
	}
	if len(found) > 0 {
		return sig, fmt.Errorf("%s:%d:%d: %s", s.Path, found[0].Line, found[0].Column, found[0].Message)
	}
	return sig, nil
}

// sign is the type of System.Sign.
type sign func(context.Context, runner.Source) (runner.Signature, []toolscript.Diagnostic, error)

// describeScript describes a script as a tool. A script without a function takes no
// parameters.
func describeScript(s toolscript.SavedScript, sig runner.Signature) toolscript.Tool {
	t := toolscript.Tool{Name: s.Name, Description: sig.Doc, InputSchema: sig.Params, OutputSchema: sig.Result}
	if !sig.Function {
		t.InputSchema = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	t.Description = cmp.Or(t.Description, "The saved script "+s.Name+".")
	return t
}

// callScript runs a saved script for a call from a run, or from outside of runs. The script
// works within the rules and limits of that run, or, for a structured call of an agent,
// within those of the agent.
func (d *Daemon) callScript(ctx context.Context, s toolscript.SavedScript, run string, args json.RawMessage) (any, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	req := toolscript.ExecRequest{
		Code:      s.Code,
		File:      s.Name + config.ScriptExtension,
		Parameter: args,
		Parent:    run,
		Narrowed:  true,
		Rules:     toolscript.Rules{Allow: upstream.AllowOf(ctx), Client: "tools." + toolscript.ScriptsServer},
	}
	exec := d.Exec
	if by, ok := ctx.Value(agentKey{}).(*launched); ok && run == "" {
		limits, _ := runs.Effective(toolscript.Limits{}, d.defaults().Limits)
		req.Allow, req.Limits.ToolCalls = by.allow, limits.ToolCalls
		exec = agentGateway{d, by}.exec
	}
	var end *toolscript.End
	err := exec(ctx, req, func(e toolscript.Event) error {
		if e.Type == toolscript.EventEnd {
			end = e.End
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case end == nil:
		return nil, errors.New("the run of the script has not ended")
	case end.Error != nil:
		return nil, failedScript(s.Name, end)
	case end.Kept != nil && end.Kept.ValueBytes > 0:
		return nil, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the value of the script %s has %d bytes, more than a call may return", s.Name, end.Kept.ValueBytes)}
	case end.ExitCode != 0:
		return nil, fmt.Errorf("the script %s ended with exit code %d", s.Name, end.ExitCode)
	case len(end.Value) == 0:
		return nil, nil //nolint:nilnil // the script has no value
	}
	return end.Value, nil
}

// failedScript returns the error of a call whose script failed. Limits and refusals keep
// their kind; an error thrown by the script becomes the failure of a tool.
func failedScript(name string, end *toolscript.End) error {
	err := fmt.Errorf("the script %s failed: %s", name, describeError(end.Error))
	if end.Kind == toolscript.Threw {
		return err
	}
	return &toolscript.Error{Kind: end.Kind, Err: err}
}

func describeError(e *toolscript.RunError) string {
	if e.Name == "" {
		return e.Message
	}
	return e.Name + ": " + e.Message
}
