package daemon

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
)

// Harness runs the scripts and calls that the answer of a model contains, in the mode of
// the configuration. It emits the items and the progress as JSON. The error is a
// *toolscript.Error: Invalid if the answer cannot be read.
func (d *Daemon) Harness(ctx context.Context, req toolscript.HarnessRequest, emit func(json.RawMessage) error) error {
	used, allow, err := d.Profile(req.Profile)
	if err != nil {
		return err
	}
	req.Profile, req.Allow = used, allow.And(req.Allow)
	return d.process(ctx, d, req, emit)
}

// process is like Harness, but runs scripts and calls with g.
func (d *Daemon) process(ctx context.Context, g harness.Gateway, req toolscript.HarnessRequest, emit func(json.RawMessage) error) error {
	api, err := answer.ParseAPI(req.API)
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	read, err := answer.Read(req.Items, api)
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	mode, err := harness.ParseMode(d.settings.Load().Harness.ModeOf(provider(req.Provider, read.API)))
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	if req.DryRun && mode == harness.Enabled {
		mode = harness.DryRun
	}
	o := harness.Options{Mode: mode, Plan: req.Plan, Record: req.Record, Cwd: req.Cwd, Allow: req.Allow, Profile: req.Profile, ToolPack: req.ToolPack, AllowedTools: req.AllowedTools, Packs: d.settings.Load().ToolPacks, ConversationID: req.ConversationID}
	return harness.Process(ctx, g, read, o, func(item harness.Item) error {
		text, err := toolscript.PlainJSON(item)
		if err != nil {
			return err
		}
		return emit(text)
	})
}

// provider returns the configured name of an answer's provider.
func provider(name string, api answer.API) string {
	if api == answer.Messages {
		return cmp.Or(name, "anthropic")
	}
	return cmp.Or(name, "openai")
}
