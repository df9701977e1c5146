package cli

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
)

func newResources(a *app) *cobra.Command {
	c := newOfferedList(a, toolscript.ListResources, []string{"Server", "URI", "Name", "Type", "Description"})
	c.Use = "resources [SERVER]"
	c.Short = "List the resources of one MCP server, or of all, and read them"
	c.Example = `  toolscript resources
  toolscript resources read docs file:///guide.md`
	templates := newOfferedList(a, toolscript.ListTemplates, []string{"Server", "Template", "Name", "Type", "Description"})
	templates.Use = "templates [SERVER]"
	templates.Short = "List the templates that addresses of resources are made from"
	c.AddCommand(templates, newReadResource(a))
	return c
}

// newOfferedList is a command that lists what one server or all servers offer.
func newOfferedList(a *app, id string, columns []string) *cobra.Command {
	o := &offeredOptions{app: a, asked: toolscript.Offered{ID: id}, columns: columns}
	c := &cobra.Command{
		Args: takes("[SERVER]"),
		RunE: func(c *cobra.Command, args []string) error {
			o.asked.Server = strings.Join(args, "")
			return o.list(c.Context())
		},
	}
	c.Flags().StringVar(&o.asked.Cursor, "cursor", "", "begin with the page of this `cursor`")
	c.Flags().BoolVar(&o.json, "json", false, "print one page as JSON")
	return c
}

func newReadResource(a *app) *cobra.Command {
	o := &offeredOptions{app: a, asked: toolscript.Offered{ID: toolscript.ReadResource}}
	c := &cobra.Command{
		Use:   "read SERVER URI",
		Short: "Print what a resource holds",
		Args:  takes("SERVER, the name of a server; see: toolscript list-servers", "URI, the address of a resource; see: toolscript resources"),
		RunE: func(c *cobra.Command, args []string) error {
			o.asked.Server, o.asked.URI = args[0], args[1]
			return o.result(c.Context(), o.contents)
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "print the whole answer as JSON")
	return c
}

// contents writes the parts of a resource, one after the other.
func (o *offeredOptions) contents(result json.RawMessage) error {
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
		if isTerminal(o.Stdout) {
			return errors.New("the resource is binary; send it to a file: toolscript resources read … > FILE")
		}
		data, err := base64.StdEncoding.DecodeString(part.Blob)
		if err != nil {
			return fmt.Errorf("the resource holds a blob that is no base64: %w", err)
		}
		if _, err := o.Stdout.Write(data); err != nil {
			return err
		}
	}
	return nil
}
