package setup

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type trustOptions struct {
	*app.App
	path   string
	yes    bool
	remove bool
	form   terminal.Form
}

// NewTrust returns the command trust.
func NewTrust(a *app.App) *cobra.Command {
	o := &trustOptions{App: a}
	c := &cobra.Command{
		Use:   "trust [PATH]",
		Short: "Trust the configuration of a project",
		Long: `Trust the configuration of a project.

A .toolscript.json names commands that toolscript starts. Servers in the file of a
project are not started before you trust them with this command, and its saved scripts
have no effect. It asks again only for new servers and scripts, for scripts with another
text, and for servers with another definition: command, arguments, working folder,
environment, URL, headers or OAuth settings as they are written, or with another value of
shared. Running gateways that use the file start the servers that you trust, and stop
them after --remove. PATH is the file or its folder; the default is the file of the
current project.`,
		Args: app.Takes("[PATH]"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.path = args[0]
			}
			if o.remove {
				return o.distrust(c.Context())
			}
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask for confirmation")
	c.Flags().BoolVar(&o.remove, "remove", false, "stop trusting it")
	terminal.AddForm(c.Flags(), &o.form, "print the result as JSON")
	return c
}

func (o *trustOptions) run(ctx context.Context) error {
	review, err := config.ReviewTrust(o.Host.ConfigOptions(false), o.path)
	if err != nil {
		return err
	}
	if review.Trusted {
		o.Say("%s is trusted already", review.Path)
		return o.done(ctx, TrustResult{Path: review.Path, Trusted: true})
	}
	o.Say("%s", heading(review))
	shown := o.Stdout
	if o.form.Structured() {
		shown = o.Stderr
	}
	if _, err := io.WriteString(shown, review.Diff); err != nil {
		return err
	}
	if !o.yes {
		if err := o.ask(ctx); err != nil {
			return fmt.Errorf("%s is not trusted: %w", review.Path, err)
		}
	}
	if err := review.Accept(); err != nil {
		return err
	}
	o.Say("trusted %s", review.Path)
	tellWaiting(o.App)
	return o.done(ctx, TrustResult{Path: review.Path, Trusted: true, Changed: true})
}

func (o *trustOptions) distrust(ctx context.Context) error {
	path, trusted, err := config.Distrust(o.Host.ConfigOptions(false), o.path)
	if err != nil {
		return err
	}
	if trusted {
		o.Say("%s is no longer trusted", path)
	} else {
		o.Say("%s was not trusted", path)
	}
	return errors.Join(o.done(ctx, TrustResult{Path: path, Changed: trusted}), hub.EndUnusedServers(o.App))
}

// TrustResult is the output of trust with --json.
type TrustResult struct {
	Path    string `json:"path"`
	Trusted bool   `json:"trusted"`
	Changed bool   `json:"changed"` // whether this command has changed it
}

// done prints the result and reloads the running gateways.
func (o *trustOptions) done(ctx context.Context, r TrustResult) error {
	if o.form.Structured() {
		if err := o.form.Write(o.Stdout, r); err != nil {
			return err
		}
	}
	return o.ReloadUsers(ctx, r.Path)
}

func heading(r *config.Review) string {
	if r.Known {
		return r.Path + " has changed since you trusted it:"
	}
	return r.Path + " would add these servers and saved scripts:"
}

// ask asks the user at the terminal. Unless the answer is yes, it returns an error.
func (o *trustOptions) ask(ctx context.Context) error {
	if !terminal.Is(o.Stdin) {
		return errors.New("there is no terminal for the question; to trust this, run: toolscript trust --yes")
	}
	answer, err := o.Ask(ctx, "Trust it? [y/N] ")
	switch {
	case errors.Is(err, terminal.ErrNoAnswer):
		return errors.New("there was no answer; to trust this, run: toolscript trust --yes")
	case err == nil && !terminal.Affirmed(answer):
		return errors.New("you answered no")
	}
	return err
}
