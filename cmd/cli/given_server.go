package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/exit"
)

// givenServer is a server that the user gives as a command or an address.
type givenServer struct {
	changeOptions
	project bool
	name    string
	url     string
	env     []string
	headers []string
	command []string
}

func (o *givenServer) addServerFlags(f *pflag.FlagSet) {
	f.StringArrayVarP(&o.env, "env", "e", nil, "variable of the server, as `NAME=VALUE`; may be repeated")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "header for the server, as `'NAME: VALUE'`; may be repeated")
	f.BoolVar(&o.project, "project", false, "in the project's file, which needs trust, not in the user's")
}

// isAddress reports whether a word is the address of a server.
func isAddress(word string) bool {
	return strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://")
}

// addServer is the change that adds the server.
func (o *givenServer) addServer() (*clients.Import, error) {
	definition := map[string]any{}
	if o.url != "" {
		definition["url"] = o.url
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
			return &exit.UsageError{Err: fmt.Errorf("--%s needs NAME%sVALUE", strings.TrimSuffix(field, "s"), separator)}
		}
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if len(values) > 0 {
		definition[field] = values
	}
	return nil
}

// add adds a server to the user's file or to the project's.
func (o *givenServer) add(name string, definition map[string]any) (*clients.Import, error) {
	places, targets, err := o.where()
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

// serverName is the chosen name, else one made from the command or the address.
func (o *givenServer) serverName() string {
	return cmp.Or(o.name, clients.ServerName(o.command, o.url))
}
