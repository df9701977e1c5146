package tools

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// NewSkills returns the command skills.
func NewSkills(a *app.App) *cobra.Command {
	c := newFetchList(a, toolscript.ListSkills, []string{"Server", "Name", "Files", "Description"})
	c.Use = "skills [SERVER]"
	c.Short = "List the skills of one MCP server, or of all, or print a skill"
	c.Long = `List the skills of one MCP server, or of all, or print a skill.

A skill is a text, SKILL.md, that tells a model how to do something, with further files.
The server has written it: read it before a model does.`
	c.Example = `  toolscript skills
  toolscript skills get docs release-notes
  toolscript skills get docs release-notes references/style.md`
	c.AddCommand(newGetSkill(a))
	return c
}

func newGetSkill(a *app.App) *cobra.Command {
	o := &fetchOptions{App: a}
	c := &cobra.Command{
		Use:   "get SERVER NAME [FILE]",
		Short: "Print the SKILL.md of a skill, or another of its files",
		Args: app.Takes("SERVER, the name of a server; see: toolscript list-servers",
			"NAME, the name or the URI of a skill; see: toolscript skills", "[FILE]"),
		RunE: func(c *cobra.Command, args []string) error {
			return o.skill(c.Context(), args[0], args[1], strings.Join(args[2:], ""))
		},
	}
	app.AddTrust(c.Flags(), &o.trust)
	terminal.AddForm(c.Flags(), &o.form, "print the whole answer as JSON")
	return c
}

// skill prints a file of a skill; SKILL.md if file is "".
func (o *fetchOptions) skill(ctx context.Context, server, name, file string) error {
	g, err := o.Target.Provider(ctx, o.trust, o.Logger(slog.LevelError))
	if err != nil {
		return err
	}
	defer g.Close()
	o.asked = toolscript.FetchRequest{ID: toolscript.ReadSkill, Server: server}
	if err := o.await(ctx, g); err != nil {
		return err
	}
	all, err := ListPages(ctx, g, toolscript.FetchRequest{ID: toolscript.ListSkills, Server: server}, o.Warn)
	if err != nil {
		return err
	}
	if o.asked.URI, err = skillURI(all, server, name); err != nil {
		return err
	}
	if file != "" {
		o.asked.URI = strings.TrimSuffix(o.asked.URI, "SKILL.md") + file
	}
	return o.fetched(ctx, g, o.contents)
}

// skillURI returns the URI of the skill with a name. A URI stays, because a server may have skills that
// it does not list.
func skillURI(all []Listed, server, name string) (string, error) {
	if strings.Contains(name, "://") {
		return name, nil
	}
	var found []string
	for _, e := range all {
		if e.Name == name {
			found = append(found, e.URI)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("server %s has no skill %q that may be used; see: %s; a skill that has changed may be in quarantine: %s",
			server, name, toolscript.Command("skills", server), toolscript.Command("pins"))
	case 1:
		return found[0], nil
	default:
		return "", fmt.Errorf("server %s has %d skills with the name %s; use the URI of one: %s", server, len(found), name, strings.Join(found, ", "))
	}
}
