package setup

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/transport/upstream"
)

// givenServer is a server that the user gives as a command or an address.
type givenServer struct {
	app.ChangeOptions
	self    *cobra.Command
	project bool
	name    string
	url     string
	kind    app.Choice // value of --transport; "": url or command decides
	env     []string
	headers []string
	command []string
}

func (o *givenServer) addServerFlags(c *cobra.Command) {
	f := c.Flags()
	o.self = c
	for _, k := range upstream.Kinds() {
		if k.MCP {
			o.kind.Choices = append(o.kind.Choices, k.Type)
		}
	}
	slices.Sort(o.kind.Choices)
	f.VarP(&o.kind, "transport", "t", "how the server is reached: stdio starts a command, the others are for an address (default http or stdio)")
	f.StringArrayVarP(&o.env, "env", "e", nil, "variable of the server, as `NAME=VALUE`; may be repeated")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "header for the server, as `'NAME: VALUE'`; may be repeated")
	f.BoolVar(&o.project, "project", false, "in the project's file, which needs trust, not in the user's")
}

// isAddress reports whether a word has the form of a URL, even if no server can have it.
func isAddress(word string) bool { return scheme().MatchString(word) }

var scheme = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`) })

// checkTransport returns an error if --transport does not fit the given address or command.
func (o *givenServer) checkTransport() error {
	name, _, _ := strings.Cut(o.url, "://")
	switch name = strings.ToLower(name); {
	case o.url != "" && name != "http" && name != "https":
		return fmt.Errorf("%.80q is not the address of an MCP server: it begins with http:// or https://", o.url)
	case upstream.KindOf(o.kind.Value).Process && len(o.command) == 0:
		return errors.New("--transport stdio is for a command: NAME -- COMMAND")
	case o.kind.Value != "" && !upstream.KindOf(o.kind.Value).Process && o.url == "":
		return fmt.Errorf("--transport %s is for an address: NAME URL", o.kind.Value)
	}
	return nil
}

// addServer returns the change that adds the server.
func (o *givenServer) addServer() (*clients.Import, error) {
	definition := map[string]any{}
	if err := o.checkTransport(); err != nil {
		return nil, app.Usage(o.self.CommandPath(), "%w", err)
	}
	if o.url != "" {
		definition["url"] = o.url
		if o.kind.Value != "" && upstream.KindOf(o.kind.Value).Implied == "" {
			definition["type"] = o.kind.Value
		}
	} else {
		definition["command"] = o.command[0]
		var args []any
		for _, arg := range o.command[1:] {
			args = append(args, arg)
		}
		if len(args) > 0 {
			definition["args"] = args
		}
	}
	if err := o.addPairs(definition, "env", "=", o.env); err != nil {
		return nil, err
	}
	if err := o.addPairs(definition, "headers", ":", o.headers); err != nil {
		return nil, err
	}
	return o.add(o.serverName(), definition)
}

func (o *givenServer) addPairs(definition map[string]any, field, separator string, pairs []string) error {
	values := map[string]any{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, separator)
		if !ok || strings.TrimSpace(name) == "" {
			return app.Usage(o.self.CommandPath(), "--%s needs NAME%sVALUE", strings.TrimSuffix(field, "s"), separator)
		}
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if len(values) > 0 {
		definition[field] = values
	}
	return nil
}

// add returns the change that adds a server to the user's file, or with --project to the project's.
func (o *givenServer) add(name string, definition map[string]any) (*clients.Import, error) {
	places, targets, err := o.Where()
	if err != nil {
		return nil, err
	}
	file := targets.User
	if o.project {
		if file = targets.Project; file.Path == "" {
			return nil, errors.New("this folder belongs to no project, or --config names the file")
		}
	}
	return clients.Add(places, file, name, definition)
}

// serverName returns the chosen name, else a name made from the command or the address.
func (o *givenServer) serverName() string {
	return cmp.Or(o.name, clients.ServerName(o.command, o.url))
}
