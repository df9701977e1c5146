package mcp

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/harness/agent"
	"github.com/toolscript/toolscript/internal/naming"
)

type agentOptions struct {
	*exec.Options
	provider string
	model    string
	turns    int
}

// NewAgent returns the command agent.
func NewAgent(a *app.App) *cobra.Command {
	o := &agentOptions{Options: exec.NewOptions(a, "toolscript agent")}
	c := &cobra.Command{
		Use:                   "agent [flags] TASK",
		DisableFlagsInUseLine: true,
		Short:                 "Let a model work on a task with scripts",
		Long: `Let a model work on a task with scripts.

The model gets the task and instructions for scripts. The scripts in its answers run as
toolscript harness runs them, and their outputs are sent back. The last answer, which has
no script, is printed. This is a small loop for trying scripts in answers.

"providers" of the configuration has the endpoint:

  {"providers": {"anthropic": {"model": "MODEL", "key": "${ANTHROPIC_API_KEY}"}}}`,
		Example: `  toolscript agent "Which files of this project have the most lines?"
  toolscript agent --provider local --turns 5 "Sum the sizes of the Go files"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },
	}
	f := c.Flags()
	f.StringVar(&o.provider, "provider", "", "the provider in the configuration (default: the only one with a model)")
	f.StringVar(&o.model, "model", "", "another model of the provider")
	f.IntVar(&o.turns, "turns", agent.DefaultTurns, "the most answers of the model")
	f.StringSliceVar(&o.Allow, "allow", nil, "the only `servers and tool ids` that may be called; '' for none (default all)")
	f.StringVar(&o.Cwd, "cwd", "", "the working `folder` that scripts see (default that of this command)")
	app.AddTrust(f, &o.Trust)
	return c
}

func (o *agentOptions) run(ctx context.Context, args []string) error {
	task := strings.TrimSpace(strings.Join(args, " "))
	switch {
	case task == "":
		return app.Usage(o.Script.Command, "missing argument: TASK")
	case o.turns < 1:
		return app.Usage(o.Script.Command, "--turns must be 1 or more")
	}
	if err := o.CheckFiles(); err != nil {
		return err
	}
	loaded, err := o.Host.Load(o.Trust)
	if err != nil {
		return err
	}
	name, model, err := daemon.Model(loaded.Settings.Harness.Providers, daemon.ModelChoice{Provider: o.provider, Model: o.model, How: "--provider"})
	if err != nil {
		return err
	}
	_, allow, err := loaded.Settings.Narrow(o.Target.Profile)
	if err != nil {
		return err
	}
	at, release, err := o.Place(ctx)
	if err != nil {
		return err
	}
	defer release()
	o.Notice.Show("waiting for the model")
	loop := agent.Loop{Model: model, System: agent.Instructions(servers(loaded, allow.And(o.Allow))), Turns: o.turns, Process: func(ctx context.Context, items []json.RawMessage) ([]json.RawMessage, error) {
		return o.process(ctx, at, name, model.API(), items)
	}}
	result, err := loop.Run(ctx, task)
	o.Notice.End()
	if result.Text != "" {
		if _, wrong := io.WriteString(o.Stdout, terminal.VisibleText(result.Text)+"\n"); wrong != nil {
			return wrong
		}
	}
	return err
}

// servers returns the names of the servers that the scripts may use, as scripts write them.
func servers(c *config.Config, allow toolscript.Filter) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		if !c.Servers[name].Disabled && allow.Reaches(name) {
			names = append(names, naming.ServerIdentifier(name))
		}
	}
	return names
}

// process runs what the items of a model's answer ask for, and returns the resulting items.
func (o *agentOptions) process(ctx context.Context, at exec.HarnessPlace, provider string, api agent.API, items []json.RawMessage) ([]json.RawMessage, error) {
	list, err := json.Marshal(items)
	if err != nil {
		return nil, err
	}
	var done []json.RawMessage
	err = at.Harness(ctx, toolscript.HarnessRequest{
		Items: list, API: string(api), Provider: provider, Cwd: o.Absolute(o.Cwd), Allow: o.Allow, Profile: o.Target.Profile,
	}, func(item json.RawMessage) error {
		var head struct {
			Type string `json:"type"`
			Tool string `json:"tool"`
		}
		if err := json.Unmarshal(item, &head); err != nil {
			return err
		}
		switch head.Type {
		case "ToolCallStart":
			o.Notice.Show("waiting for " + head.Tool)
		case "ToolCallEnd":
			o.Notice.Show("running")
		case "ApprovalRequest":
			o.Notice.Show("waiting for your approval: toolscript approvals")
		default:
			done = append(done, slices.Clone(item))
		}
		return nil
	})
	o.Notice.Show("waiting for the model")
	return done, err
}
