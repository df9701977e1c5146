package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/texts"
)

type harnessOptions struct {
	*exec.Options
	api      app.Choice
	provider string
	dryRun   bool
	pack     string
	tools    []string

	conversation string
	events       bool
}

// NewHarness returns the command harness.
func NewHarness(a *app.App) *cobra.Command {
	o := &harnessOptions{Options: exec.NewOptions(a, "toolscript harness"), api: app.Choice{Choices: []string{"responses", "chat", "messages"}}}
	c := &cobra.Command{
		Use:   "harness",
		Short: "Run the scripts and the calls in the answer of a model",
		Long: `Run the scripts and the calls in the answer of a model.

Standard input is the answer: a response of OpenAI's Responses API, of its Chat
Completions API or of Anthropic's Messages API, or its items or messages as a list or one
after the other. The scripts between <tool-calls> and </tool-calls> in the text of the
assistant run, and its structured calls are made with the same tools. The items to append
to the conversation are printed in their order, one JSON object per line.

An error of a script or call is part of its item, and the next one follows. The exit code
is 1 only if the answer cannot be read. "scriptHarness" and "providers" of the
configuration say whose scripts run.`,
		Example: `  toolscript harness < answer.json
  toolscript harness --dry-run --api messages < answer.json`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	f := c.Flags()
	f.Var(&o.api, "api", "the form of the answer (default: recognized)")
	f.StringVar(&o.provider, "provider", "", "the provider in the configuration (default anthropic for messages, else openai)")
	f.BoolVar(&o.dryRun, "dry-run", false, "parse the scripts, check their types and name their tools; call nothing")
	f.BoolVar(&o.Plan, "plan", false, "make only the calls of tools that read, and list the other calls")
	f.BoolVar(&o.Record, "record", false, "keep the arguments and results of all calls of scripts on the disk, so that toolscript runs replay can run the scripts again")
	f.BoolVar(&o.events, "events", false, "print the progress of scripts too")
	f.StringSliceVar(&o.Allow, "allow", nil, "the only `servers and tool ids` that may be called; '' for none (default all)")
	f.StringVar(&o.conversation, "conversation", "", "the `id` of the conversation that scripts see as context.conversationId")
	f.StringVar(&o.pack, "tool-pack", "", "the only `pack` of tools that may be called, such as file-ops")
	f.StringSliceVar(&o.tools, "allow-tools", nil, "the only `tools` that may be called, with those of --tool-pack: names of built-in tools, servers and tool ids")
	f.StringVar(&o.Cwd, "cwd", "", "the working `folder` that scripts see (default that of this command)")
	app.AddTrust(f, &o.Trust)
	return c
}

// maxAnswer bounds the answer of a model, in bytes.
const maxAnswer = 16 << 20

func (o *harnessOptions) run(ctx context.Context) error {
	if err := o.CheckFiles(); err != nil {
		return err
	}
	data, err := o.Input(ctx, rawjson.SkipMark(o.Stdin), maxAnswer+1)
	switch {
	case err != nil:
		return fmt.Errorf("read the answer: %w", err)
	case len(data) > maxAnswer:
		return fmt.Errorf("the answer has more than %d MB", maxAnswer>>20)
	case texts.CheckUTF8(data) != nil:
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("the answer is %w", texts.CheckUTF8(data))}
	}
	items, err := answer.List(data)
	if err != nil {
		return err
	}
	at, release, err := o.Place(ctx)
	if err != nil {
		return err
	}
	defer release()
	return at.Harness(ctx, toolscript.HarnessRequest{
		Items: items, API: o.api.Value, Provider: o.provider, DryRun: o.dryRun, Plan: o.Plan, Record: o.Record, Cwd: o.Absolute(o.Cwd), Allow: o.Allow, Profile: o.Target.Profile, ToolPack: o.pack, AllowedTools: o.tools,
		ConversationID: o.conversation,
	}, o.print)
}

// harnessProgress has the types of items that report progress and do not belong to the conversation.
var harnessProgress = map[string]bool{"ToolCallStart": true, "ToolCallEnd": true, "ApprovalRequest": true, "OutputTextDelta": true}

func (o *harnessOptions) print(item json.RawMessage) error {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(item, &head); err != nil {
		return err
	}
	if head.Type == "ApprovalRequest" {
		o.Notice.Show("waiting for your approval: toolscript approvals")
	}
	if harnessProgress[head.Type] && !o.events {
		return nil
	}
	_, err := o.Stdout.Write(append(item, '\n'))
	return err
}
