package exec

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/naming"
)

// completeCall completes the tool of toolscript call, then the names of its parameters, then
// the values that a parameter may have.
func completeCall(a *app.App, c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.Offer(c, begun, func(ctx context.Context, g *app.Gateway) (out []string) {
			for _, t := range callableTools(ctx, a, g) {
				out = append(out, t.name)
			}
			return out
		})
	}
	found, directive := a.Offer(c, begun, func(ctx context.Context, g *app.Gateway) []string {
		for _, t := range callableTools(ctx, a, g) {
			if t.name == args[0] || t.id == args[0] {
				return t.words(args[1:], begun)
			}
		}
		return nil
	})
	if len(found) > 0 && strings.HasSuffix(found[0], "=") {
		directive |= cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
	}
	return found, directive
}

// callableTool is a tool that a completion offers.
type callableTool struct {
	name   string // server.tool, as scripts write it
	id     string
	schema json.RawMessage
}

// callableTools returns the tools of the gateway; without a gateway, those in the last lists of the servers.
func callableTools(ctx context.Context, a *app.App, g *app.Gateway) (out []callableTool) {
	add := func(server, tool string, schema json.RawMessage) {
		name := naming.ServerIdentifier(server) + "." + naming.Identifier(tool)
		out = append(out, callableTool{name, server + toolscript.Separator + tool, schema})
	}
	if g != nil {
		answer, err := g.Tools(ctx, nil, 0)
		if err != nil {
			return nil
		}
		for _, t := range answer.Tools {
			add(t.ServerName, t.ToolName, t.InputSchema)
		}
		return out
	}
	loaded, err := config.Load(a.Host.ConfigOptions(false))
	if err != nil {
		return nil
	}
	_, allow, err := loaded.Settings.Narrow(a.Target.Profile)
	if err != nil {
		return nil
	}
	folder := server.ToolLists(a.Host.Cache("tools"))
	for _, server := range slices.Sorted(maps.Keys(loaded.Servers)) {
		c := loaded.Servers[server]
		offered, _ := c.Offered(server, folder.Recall(server, c), nil)
		for _, t := range offered {
			if allow.Match(t) && t.Skill == nil {
				add(server, t.Name, t.InputSchema)
			}
		}
	}
	return out
}

// words returns the next words of a call: KEY= for each parameter that is not given yet, or KEY=VALUE for
// each value of the parameter that is begun. Required parameters come first.
func (t callableTool) words(given []string, begun string) (out []string) {
	var schema struct {
		Properties map[string]choices `json:"properties"`
		Required   []string           `json:"required"`
	}
	if json.Unmarshal(t.schema, &schema) != nil {
		return nil
	}
	key, _, valued := strings.Cut(begun, "=")
	if valued {
		for _, value := range schema.Properties[key].values() {
			out = append(out, key+"="+value)
		}
		return out
	}
	names := slices.SortedFunc(maps.Keys(schema.Properties), func(a, b string) int {
		return cmp.Or(cmp.Compare(missing(schema.Required, a), missing(schema.Required, b)), cmp.Compare(a, b))
	})
	for _, name := range names {
		if !strings.Contains(name, "=") && !slices.ContainsFunc(given, func(word string) bool {
			return strings.HasPrefix(word, name+"=") || strings.HasPrefix(word, name+":=")
		}) {
			out = append(out, name+"=")
		}
	}
	return out
}

// missing returns 0 if the list has the name, else 1.
func missing(list []string, name string) int {
	if slices.Contains(list, name) {
		return 0
	}
	return 1
}

// choices is the part of a JSON schema that limits a parameter to certain values.
type choices struct {
	Type  any               `json:"type"` // a string, or an array of strings
	Enum  []json.RawMessage `json:"enum"`
	Const json.RawMessage   `json:"const"`
	AnyOf []choices         `json:"anyOf"`
	OneOf []choices         `json:"oneOf"`
}

// UnmarshalJSON reads a schema. A schema that is not an object has no choices.
func (c *choices) UnmarshalJSON(text []byte) error {
	type plain choices
	if json.Unmarshal(text, (*plain)(c)) != nil {
		*c = choices{}
	}
	return nil
}

// values returns the values that a schema names, in the form of the command line.
func (c choices) values() (out []string) {
	for _, value := range append(c.Enum, c.Const) {
		var text string
		switch {
		case value == nil:
		case json.Unmarshal(value, &text) == nil && value[0] == '"':
			if strings.HasPrefix(text, "@") { // a single @ begins the name of a file
				text = "@" + text
			}
			out = append(out, text)
		default:
			out = append(out, string(value))
		}
	}
	if types, several := c.Type.([]any); len(out) == 0 && (c.Type == "boolean" || several && slices.Contains(types, any("boolean"))) {
		out = append(out, "false", "true")
	}
	for _, one := range slices.Concat(c.AnyOf, c.OneOf) {
		out = append(out, one.values()...)
	}
	return out
}
