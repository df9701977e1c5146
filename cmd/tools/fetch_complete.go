package tools

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
)

// CompleteEntries completes the prompts, the resources and the skills of a server, and the arguments of prompts. Only a
// running gateway knows them.
func CompleteEntries(a *app.App, root *cobra.Command) {
	const none = cobra.ShellCompDirectiveNoFileComp
	entries := map[string]func(ctx context.Context, g *app.Gateway, server, begun string) []string{
		"prompts get": promptNames, "resources read": resourceURIs, "skills get": skillNames,
	}
	for path, of := range entries {
		c, _, err := root.Find(strings.Fields(path))
		if err != nil {
			continue
		}
		servers := c.ValidArgsFunction
		c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				return servers(c, args, begun)
			case 1:
				return a.Offer(c, begun, func(ctx context.Context, g *app.Gateway) []string { return of(ctx, g, args[0], begun) })
			}
			return nil, none
		}
	}
	if c, _, err := root.Find([]string{"prompts", "get"}); err == nil {
		_ = c.RegisterFlagCompletionFunc("arg", func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) != 2 {
				return nil, none
			}
			words, directive := a.Offer(c, begun, func(ctx context.Context, g *app.Gateway) []string {
				return promptWords(ctx, g, args[0], args[1], begun)
			})
			if !strings.Contains(begun, "=") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			return words, directive
		}) // a flag that does not exist has no completion
	}
}

// fetched has the members of an entry or a result that completions use.
type fetched struct {
	Name, URI, URITemplate string
	Arguments              []struct{ Name string }
	Completion             struct{ Values []string }
	Frontmatter            struct{ Name string }
}

// entriesOf returns the first page of a list of a server; nothing without a gateway.
func entriesOf(ctx context.Context, g *app.Gateway, list, server string) (out []fetched) {
	if g == nil {
		return nil
	}
	q := toolscript.FetchRequest{ID: list, Server: server}
	raw, err := g.Fetch(ctx, q)
	page := toolscript.Page{Of: q.Collection()}
	if err != nil || json.Unmarshal(raw, &page) != nil {
		return nil
	}
	for _, entry := range page.Entries {
		var e fetched
		if json.Unmarshal(entry, &e) == nil {
			out = append(out, e)
		}
	}
	return out
}

// proposed returns the values that the server proposes for an argument.
func proposed(ctx context.Context, g *app.Gateway, o toolscript.FetchRequest) []string {
	o.ID = toolscript.Complete
	raw, err := g.Fetch(ctx, o)
	var answer fetched
	if err != nil || json.Unmarshal(raw, &answer) != nil {
		return nil
	}
	return answer.Completion.Values
}

func promptNames(ctx context.Context, g *app.Gateway, server, _ string) (names []string) {
	for _, e := range entriesOf(ctx, g, toolscript.ListPrompts, server) {
		names = append(names, e.Name)
	}
	return names
}

func skillNames(ctx context.Context, g *app.Gateway, server, _ string) (names []string) {
	for _, e := range entriesOf(ctx, g, toolscript.ListSkills, server) {
		names = append(names, e.Frontmatter.Name)
	}
	return names
}

// resourceURIs returns the URIs of resources, and those of templates with a value of their first variable.
func resourceURIs(ctx context.Context, g *app.Gateway, server, begun string) (uris []string) {
	for _, e := range entriesOf(ctx, g, toolscript.ListResources, server) {
		uris = append(uris, e.URI)
	}
	for _, e := range entriesOf(ctx, g, toolscript.ListTemplates, server) {
		before, rest, _ := strings.Cut(e.URITemplate, "{")
		variable, after, ok := strings.Cut(rest, "}")
		value, fits := strings.CutPrefix(begun, before)
		if !ok || !fits || strings.Contains(after, "{") {
			continue
		}
		variable = strings.TrimLeft(variable, "+#./;?&")
		for _, v := range proposed(ctx, g, toolscript.FetchRequest{Server: server, URI: e.URITemplate, Argument: variable, Value: value}) {
			uris = append(uris, before+v+after)
		}
	}
	return uris
}

// promptWords returns NAME= for each argument of a prompt, or NAME=VALUE for each proposed value.
func promptWords(ctx context.Context, g *app.Gateway, server, prompt, begun string) (words []string) {
	name, value, valued := strings.Cut(begun, "=")
	if valued && g != nil {
		for _, v := range proposed(ctx, g, toolscript.FetchRequest{Server: server, Prompt: prompt, Argument: name, Value: value}) {
			words = append(words, name+"="+v)
		}
		return words
	}
	given := map[string]bool{}
	for _, e := range entriesOf(ctx, g, toolscript.ListPrompts, server) {
		for _, argument := range e.Arguments {
			if e.Name == prompt {
				given[argument.Name+"="] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(given))
}
