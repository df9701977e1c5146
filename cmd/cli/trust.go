package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/config"
)

type trustOptions struct {
	*app
	path string
	yes  bool
}

func newTrust(a *app) *cobra.Command {
	o := &trustOptions{app: a}
	c := &cobra.Command{
		Use:   "trust [PATH]",
		Short: "Let a project's configuration take effect",
		Long: `Let a project's configuration take effect.

A .toolscript.json names commands that toolscript starts. The one of a project
starts nothing until you have looked at it here; when it changes, you are shown
what is new. PATH is the file or its folder; the default is the file of the
project you are in.`,
		Args: takes("[PATH]"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.path = args[0]
			}
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "trust it without asking")
	return c
}

func (o *trustOptions) run(ctx context.Context) error {
	review, err := config.ReviewTrust(o.config(false), o.path)
	if err != nil {
		return err
	}
	if review.Trusted {
		o.say("%s is trusted already", review.Path)
		return nil
	}
	o.say("%s", heading(review))
	if _, err := io.WriteString(o.Stdout, review.Diff); err != nil {
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
	o.say("trusted %s", review.Path)
	return nil
}

func heading(r *config.Review) string {
	if r.Known {
		return r.Path + " has changed since you trusted it:"
	}
	return r.Path + " would start the commands in it:"
}

// ask wants a yes from a person.
func (o *trustOptions) ask(ctx context.Context) error {
	if !isTerminal(o.Stdin) {
		return errors.New("there is no terminal to ask at; look at it and run: toolscript trust --yes")
	}
	o.say("Trust it? [y/N]")
	answered := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(o.Stdin).ReadString('\n') // no answer is a no
		answered <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case answer := <-answered:
		if answer != "y" && answer != "yes" {
			return errors.New("you said no")
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// config says where the configuration of this command line is.
func (a *app) config(trust bool) config.Options {
	return config.Options{
		Config: a.configs, DataDir: a.dataDir, Trust: trust,
		WorkDir: a.Dir, LookupEnv: a.lookupEnv,
	}
}
