package setup

import (
	"context"
	"path/filepath"

	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// prepareServer offers to store the secrets of an added server, or to log in at it. It asks only at a
// terminal; otherwise the notes of the change name the commands.
func (o *addOptions) prepareServer(ctx context.Context, plan *clients.Import, choice Choice) error {
	if !o.canAsk() || o.project || len(plan.Changes) == 0 {
		return nil
	}
	name, path := plan.Taken[0].Name, plan.Taken[0].To
	written, err := clients.HasServer(clients.File{Path: path, Root: filepath.Dir(path)}, name)
	if err != nil || !written {
		return err
	}
	if choice.Kind == "remote" && len(choice.Needed) == 0 {
		return o.ifWanted(ctx, "Log in at "+name+" now?", func() error {
			return (&authOptions{App: o.App, server: name}).login(ctx)
		})
	}
	for _, v := range choice.Needed {
		if !v.Secret || !o.secrets {
			continue
		}
		err := o.ifWanted(ctx, "Store the secret "+v.Name+" now?", func() error {
			return setSecret(ctx, o.App, v.Name, &secretTargets{servers: []string{name}, command: o.self}, terminal.AsTable)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ifWanted asks the user a question and calls do if the answer is yes.
func (o *addOptions) ifWanted(ctx context.Context, question string, do func() error) error {
	agreed, err := o.Agrees(ctx, question)
	if agreed {
		err = do()
	}
	return err
}
