package tools

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// NewResources returns the command resources.
func NewResources(a *app.App) *cobra.Command {
	c := newFetchList(a, toolscript.ListResources, []string{"Server", "URI", "Name", "Type", "Description"})
	c.Use = "resources [SERVER]"
	c.Short = "List the resources of one MCP server, or of all, or read a resource"
	c.Example = `  toolscript resources
  toolscript resources read docs file:///guide.md`
	templates := newFetchList(a, toolscript.ListTemplates, []string{"Server", "Template", "Name", "Type", "Description"})
	templates.Use = "templates [SERVER]"
	templates.Short = "List the templates of resource addresses"
	c.AddCommand(templates, newReadResource(a))
	return c
}

// newFetchList makes a command that lists the resources, templates or prompts of servers.
func newFetchList(a *app.App, id string, columns []string) *cobra.Command {
	o := &fetchOptions{App: a, asked: toolscript.FetchRequest{ID: id}, columns: columns}
	c := &cobra.Command{
		Args: app.Takes("[SERVER]"),
		RunE: func(c *cobra.Command, args []string) error {
			o.asked.Server = strings.Join(args, "")
			return o.list(c.Context())
		},
	}
	c.Flags().StringVar(&o.asked.Cursor, "cursor", "", "begin with the page of this `cursor` (default the first page)")
	app.AddTrust(c.Flags(), &o.trust)
	terminal.AddForm(c.Flags(), &o.form, "print one page as JSON")
	return c
}

func newReadResource(a *app.App) *cobra.Command {
	o := &fetchOptions{App: a, asked: toolscript.FetchRequest{ID: toolscript.ReadResource}}
	c := &cobra.Command{
		Use:   "read SERVER URI",
		Short: "Print the contents of a resource",
		Args:  app.Takes("SERVER, the name of a server; see: toolscript list-servers", "URI, the address of a resource; see: toolscript resources"),
		RunE: func(c *cobra.Command, args []string) error {
			o.asked.Server, o.asked.URI = args[0], args[1]
			return o.result(c.Context(), o.contents)
		},
	}
	app.AddTrust(c.Flags(), &o.trust)
	terminal.AddForm(c.Flags(), &o.form, "print the whole answer as JSON")
	return c
}

// contents prints the parts of a resource in order.
func (o *fetchOptions) contents(result json.RawMessage) error {
	var r struct {
		Contents []struct {
			Text *string `json:"text"`
			Blob string  `json:"blob"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return fmt.Errorf("the resource cannot be read: %w", err)
	}
	for _, part := range r.Contents {
		if part.Text != nil {
			if err := o.shown(*part.Text); err != nil {
				return err
			}
			continue
		}
		if terminal.Is(o.Stdout) {
			return errors.New("the resource is binary; send it to a file: toolscript resources read … > FILE")
		}
		data, err := base64.StdEncoding.DecodeString(part.Blob)
		if err != nil {
			return fmt.Errorf("the resource has a blob that is not base64: %w", err)
		}
		if _, err := o.Stdout.Write(data); err != nil {
			return err
		}
	}
	return nil
}
