package builtin

import (
	"context"
	"errors"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin/documents"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

// choices has the properties of the input schema that all tools of models and agents share.
const choices = `
	"promptKey": {"type": "string", "minLength": 1, "description": "instructions: a prompt of prompts.save"},
	"provider": {"type": "string", "minLength": 1, "description": "name of a provider in the configuration; default: the configured one"},
	"model": {"type": "string", "minLength": 1, "description": "a model that the configuration names; default: that of the provider"},
	"maxTokens": {"type": "integer", "minimum": 1, "description": "maximum tokens of one answer; the default, and the largest value, is that of the configuration"}`

type modelArgs struct {
	Prompt    string `json:"prompt"`
	Task      string `json:"task"`
	System    string `json:"system"`
	PromptKey string `json:"promptKey"`
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	MaxTokens int    `json:"maxTokens"`
	Turns     int    `json:"turns"`
}

// request returns the model request of a call. A saved prompt comes before other instructions.
func request(ctx context.Context, w *tool.Workspace, args modelArgs) (r upstream.ModelRequest, err error) {
	if w.Agents == nil {
		return r, errors.New("this program has no models")
	}
	r = upstream.ModelRequest{
		Text: args.Prompt + args.Task, System: args.System, Provider: args.Provider, Model: args.Model,
		MaxTokens: args.MaxTokens, Turns: args.Turns, Cwd: w.Dir, Settings: w.Settings.Agents,
	}
	if args.PromptKey == "" {
		return r, nil
	}
	store, err := documents.Of(w)
	if err != nil {
		return r, err
	}
	prompt, err := store.Prompt(ctx, args.PromptKey)
	if err != nil {
		return r, err
	}
	r.System = strings.TrimSpace(prompt + "\n\n" + args.System)
	return r, nil
}

// failed turns an error into the failure of the tool, without a kind: the faults of a model
// are not faults of this server.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(err.Error())
}

// launches returns the annotations of a tool that launches an agent, which may do
// everything that the run may do.
func launches() toolscript.Annotations {
	a, yes := tool.Changes(), true
	a.OpenWorld = &yes
	return a
}

// call returns the Run function of a tool that makes a model request.
func call[R any](do func(context.Context, *tool.Workspace, upstream.ModelRequest) (R, error)) func(context.Context, *tool.Workspace, modelArgs) (R, error) {
	return func(ctx context.Context, w *tool.Workspace, args modelArgs) (result R, err error) {
		r, err := request(ctx, w, args)
		if err != nil {
			return result, err
		}
		result, err = do(ctx, w, r)
		return result, failed(err)
	}
}
