package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// NewPrompts returns the command prompts.
func NewPrompts(a *app.App) *cobra.Command {
	c := newFetchList(a, toolscript.ListPrompts, []string{"Server", "Name", "Arguments", "Description"})
	c.Use = "prompts [SERVER]"
	c.Short = "List the prompts of one MCP server, or of all, or get a prompt"
	c.Example = `  toolscript prompts
  toolscript prompts get docs summarize --arg page=intro`
	c.AddCommand(newGetPrompt(a))
	return c
}

func newGetPrompt(a *app.App) *cobra.Command {
	o := &fetchOptions{App: a, asked: toolscript.FetchRequest{ID: toolscript.GetPrompt}}
	var given []string
	c := &cobra.Command{
		Use:   "get SERVER NAME",
		Short: "Print a prompt with its arguments",
		Args:  app.Takes("SERVER, the name of a server; see: toolscript list-servers", "NAME, the name of a prompt; see: toolscript prompts"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			o.asked.Server, o.asked.Prompt = args[0], args[1]
			if o.asked.Args, err = pairs(given); err != nil {
				return &app.UsageError{Command: c.CommandPath(), Err: err}
			}
			return o.result(c.Context(), o.messages)
		},
	}
	c.Flags().StringArrayVar(&given, "arg", nil, "an argument of the prompt, as `name=value`; repeat it for each argument")
	app.AddTrust(c.Flags(), &o.trust)
	terminal.AddForm(c.Flags(), &o.form, "print the whole answer as JSON")
	return c
}

// pairs parses arguments of the form name=value.
func pairs(given []string) (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range given {
		name, value, ok := strings.Cut(pair, "=")
		if _, twice := values[name]; !ok || name == "" || twice {
			return nil, fmt.Errorf("--arg takes name=value, each name once, not %.50q", pair)
		}
		values[name] = value
	}
	return values, nil
}

// messages prints a prompt as a conversation.
func (o *fetchOptions) messages(result json.RawMessage) error {
	var r struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return errors.New("the prompt cannot be read; --json prints it unchanged")
	}
	for _, m := range r.Messages {
		var block struct{ Type, Text string }
		if json.Unmarshal(m.Content, &block) != nil || block.Type != "text" {
			block.Text = string(m.Content) // an image or a resource
		}
		if err := o.shown(m.Role + ": " + block.Text); err != nil {
			return err
		}
	}
	return nil
}
