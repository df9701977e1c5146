package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/secrets"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// ConfirmedSecret is one secret that a server gets from now on.
type ConfirmedSecret struct {
	Name   string `json:"name"`
	Server string `json:"server"`
	File   string `json:"file"`
}

func newSecretConfirm(a *app.App) *cobra.Command {
	var out terminal.Form
	c := &cobra.Command{
		Use:   "confirm [SERVER]",
		Short: "Let servers have the secrets that they refer to",
		Long: `Let servers have the secrets that they refer to: SERVER, or all servers of the current
folder that wait for one. The command shows the definition of each server and asks. Only a
person answers: it needs a terminal, and refuses to run below an agent. The answer holds
for this definition, in this file.`,
		Args: app.Takes("[SERVER]"),
		RunE: func(c *cobra.Command, args []string) error {
			return confirmSecrets(c.Context(), a, strings.Join(args, ""), out)
		},
	}
	terminal.AddForm(c.Flags(), &out, "print what was confirmed as JSON")
	return c
}

func confirmSecrets(ctx context.Context, a *app.App, server string, out terminal.Form) error {
	waiting, err := waitingSecrets(a, server)
	if err != nil {
		return err
	}
	confirmed := []ConfirmedSecret{}
	allowed := map[string][]secrets.Binding{}
	var files []string
	var declined error
	for _, requests := range waiting {
		id := requests[0].Identity
		for _, r := range requests {
			a.Say("%s", requestText(r))
		}
		err := confirmIdentity(ctx, a, requests[0].Server, id)
		if errors.Is(err, errDeclined) {
			declined = errors.Join(declined, err)
			continue
		}
		if err != nil {
			return err
		}
		files = append(files, id.File)
		for _, r := range requests {
			allowed[r.Name] = append(allowed[r.Name], secrets.Binding{Server: r.Server, File: id.File, Identity: id.Hash})
			confirmed = append(confirmed, ConfirmedSecret{r.Name, r.Server, id.File})
		}
	}
	if len(allowed) > 0 {
		store, err := secretStore(a)
		if err == nil {
			err = store.Allow(ctx, allowed)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(tellConfirmed(a, confirmed, len(waiting) > 0, out), declined, a.ReloadUsersOf(ctx, files))
}

func tellConfirmed(a *app.App, confirmed []ConfirmedSecret, asked bool, out terminal.Form) error {
	if out.Structured() {
		return out.Write(a.Stdout, confirmed)
	}
	if !asked {
		a.Say("no server of this folder waits for a secret")
	}
	for _, c := range confirmed {
		if err := a.Print("%s gets %s", terminal.OneLine(c.Server), c.Name); err != nil {
			return err
		}
	}
	return nil
}

// waitingSecrets returns the requests that can be confirmed, one list for each server. server "" means all.
func waitingSecrets(a *app.App, server string) (byServer [][]config.SecretRequest, err error) {
	loaded, err := a.LoadNames()
	if err != nil {
		return nil, err
	}
	if _, ok := loaded.Servers[server]; server != "" && !ok || slices.Contains(loaded.Untrusted, server) {
		_, err := identityOf(loaded, server)
		return nil, err
	}
	for _, r := range loaded.Waiting {
		switch last := len(byServer) - 1; {
		case server != "" && r.Server != server:
		case r.Missing:
			a.Warn("%s refers to the secret %s, which is not set; store it: %s", r.Server, r.Name, r.Command())
		case last >= 0 && byServer[last][0].Server == r.Server:
			byServer[last] = append(byServer[last], r)
		default:
			byServer = append(byServer, []config.SecretRequest{r})
		}
	}
	return byServer, nil
}

// tellWaiting names the servers of this folder that wait for a person, because trust does
// not give secrets.
func tellWaiting(a *app.App) {
	loaded, err := a.LoadNames()
	if err != nil {
		return // the next command reports it
	}
	for _, r := range loaded.Waiting {
		if !r.Missing {
			a.Say("%s does not get the secret %s yet; run: toolscript secret confirm", r.Server, r.Name)
		}
	}
}

func requestText(r config.SecretRequest) string {
	text := fmt.Sprintf("%s wants the secret %s (%s).", r.Server, r.Name, strings.Join(r.Fields, ", "))
	if r.Known {
		text += " IT HAD THE SECRET WITH ANOTHER DEFINITION."
	}
	return text
}

var errDeclined = errors.New("you answered no")

// confirmIdentity shows a person the definition of a server, and asks whether it gets
// secrets.
func confirmIdentity(ctx context.Context, a *app.App, server string, id config.Identity) error {
	refused := func(why string) error {
		return &toolscript.Error{Kind: toolscript.Forbidden, Server: server, Err: fmt.Errorf("only a person lets this definition of the server, in %s, have secrets, and %s; "+
			"run at a terminal of your own: toolscript secret confirm", id.File, why)}
	}
	if agent := a.Agent(); agent != "" {
		return refused(fmt.Sprintf("an agent (%s) has started this command", agent))
	}
	if !terminal.Is(a.Stdin) {
		return refused("there is no terminal")
	}
	whose := "the file"
	if id.Project {
		whose = "the file of a project"
	}
	a.Say("%s, %s, defines the server:\n%s", id.File, whose, id.Definition)
	answer, err := a.Ask(ctx, "May "+server+" have the secret? [y/N] ")
	switch {
	case errors.Is(err, terminal.ErrNoAnswer):
		return fmt.Errorf("%s gets nothing: there was no answer", server)
	case err == nil && !terminal.Affirmed(answer):
		return fmt.Errorf("%s gets nothing: %w", server, errDeclined)
	}
	return err
}
