package tools

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/api"
)

type getTypesOptions struct {
	*app.App
	filter string
	full   bool
	trust  bool
	form   terminal.Form
	out    string
	watch  bool
}

// NewGetTypes returns the command get-types.
func NewGetTypes(a *app.App) *cobra.Command {
	o := &getTypesOptions{App: a}
	c := &cobra.Command{
		Use:   "get-types [SERVER | SERVER.TOOL | SERVER__TOOL]...",
		Short: "Print the TypeScript of the tools",
		Long: `Print the TypeScript of the tools, as Markdown with an example of a call.

Names of servers, ids of tools, and names such as memory.createEntities select tools, as
arguments or in --filter:

  toolscript get-types github files__read_file
  toolscript get-types --filter github,files__read_file

'$store' selects the store of scripts, with the values that scripts here can read.
Without names, those values come last.

A running gateway of this configuration answers. Without one, the lists count that the
servers sent last. Servers that have no list yet, or are defined in another way since,
are started, and stopped at the end. Without names, those that do not answer within 3
seconds are named in a warning.

--out writes files to a folder instead. With them, editors complete the tools in the
scripts of the folder, and tsc checks the scripts. With --watch, the files are written
again when the tools change, until Ctrl-C; without a gateway, that starts the servers.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.filter = strings.Join(append(args, o.filter), ",")
			if o.out != "" && (o.form.Structured() || o.full) {
				return &app.UsageError{Command: c.CommandPath(), Err: errors.New("--out cannot be combined with --json, -o or --full")}
			}
			if o.watch && o.out == "" {
				return &app.UsageError{Command: c.CommandPath(), Err: errors.New("--watch needs --out FOLDER")}
			}
			return o.run(c.Context())
		},
	}
	c.Flags().StringVar(&o.out, "out", "", "write toolscript.d.ts, the globals and a tsconfig.json to this `folder`")
	c.Flags().BoolVar(&o.watch, "watch", false, "with --out: write the files again when the tools change, until Ctrl-C")
	c.Flags().StringVarP(&o.filter, "filter", "f", "", "only these `servers and tool ids`, separated by commas (default all)")
	c.Flags().BoolVar(&o.full, "full", false, "with whole descriptions")
	app.AddTrust(c.Flags(), &o.trust)
	terminal.AddForm(c.Flags(), &o.form, "print the module inside JSON, with the servers that are not connected")
	return c
}

func (o *getTypesOptions) run(ctx context.Context) error {
	find := o.Target.Lists
	if o.watch { // stored lists of servers that do not run would not change
		find = o.Target.Provider
	}
	g, err := find(ctx, o.trust, o.Logger(slog.LevelError))
	if err != nil {
		return err
	}
	defer g.Close()
	filter := toolscript.ParseFilter(o.filter)
	if filter == nil {
		filter = exec.ExtraServers(o.App)
	}
	over := o.Waiting(app.ConnectingText)
	types, err := o.types(ctx, g, filter)
	over()
	if err != nil {
		return err
	}
	if err := o.remark(filter, types); err != nil {
		return err
	}
	if o.out != "" {
		if err := o.writeOut(types.Module); err != nil || !o.watch {
			return err
		}
		return o.refresh(ctx, g, filter, types.Module)
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, types)
	}
	return o.markdown(types)
}

// types returns the declarations of the tools that filter selects, and of the store.
func (o *getTypesOptions) types(ctx context.Context, g app.Provider, filter toolscript.Filter) (api.Types, error) {
	tools := slices.DeleteFunc(slices.Clone(filter), func(entry string) bool { return entry == toolscript.StoreName })
	var types api.Types
	var err error
	if filter == nil || len(tools) > 0 || o.out != "" {
		if types, err = g.Types(ctx, tools, o.module(), app.ListTime(tools)); err != nil {
			return types, err
		}
		if meant := asCalled(tools, types.Unknown); meant != nil {
			if types, err = g.Types(ctx, meant, o.module(), app.ListTime(meant)); err != nil {
				return types, err
			}
		}
	}
	q := toolscript.StoreQuery{Session: discovery.Session(o.LookupEnv), Cwd: o.Dir}
	switch {
	case o.out != "":
		q.Form = toolscript.StoreDeclarations
	case len(tools) < len(filter):
		q.Form = toolscript.StoreAll
	case filter == nil && !o.full:
		q.Form = toolscript.StoreValues
	default:
		return types, nil
	}
	store, err := g.StoreTypes(ctx, q)
	types.Module += store.Types
	return types, err
}

// asCalled replaces entries in the form of scripts, such as files.readFile, by the ids of the tools; nil if
// there are no such entries.
func asCalled(entries toolscript.Filter, unknown []naming.UnknownEntry) (ids toolscript.Filter) {
	for _, u := range unknown {
		for _, id := range u.Suggestions {
			server, tool, _ := strings.Cut(id, toolscript.Separator)
			if strings.TrimPrefix(u.Entry, "tools.") != naming.ServerIdentifier(server)+"."+naming.Identifier(tool) {
				continue
			}
			if ids == nil {
				ids = slices.Clone(entries)
			}
			ids[slices.Index(ids, u.Entry)] = id
			break
		}
	}
	return ids
}

// watchInterval is the interval of polling the gateway.
const watchInterval = time.Second

// refresh writes the files again when the declarations change, until the command is
// interrupted, which is not an error. If the gateway fails, the next one of this
// configuration is used.
func (o *getTypesOptions) refresh(ctx context.Context, g app.Provider, filter toolscript.Filter, written string) error {
	ticks := time.NewTicker(watchInterval)
	defer ticks.Stop()
	var other *app.Gateway
	defer func() {
		if other != nil {
			other.Close()
		}
	}()
	for failed := false; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		types, err := o.types(ctx, g, filter)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			if !failed {
				o.Warn("the types were not read; trying again: %v", err)
			}
			failed = true
			if next, err := o.Target.Shared(ctx, o.trust); err == nil && next != nil {
				if other != nil {
					other.Close()
				}
				other, g = next, next
			}
		case types.Module != written:
			if err := o.writeOut(types.Module); err != nil {
				return err
			}
			failed, written = false, types.Module
		default:
			failed = false
		}
	}
}

// longModule is the length in bytes above which a module is more than a language model should read at once.
const longModule = 32 << 10

// remark warns about parts of the filter that select nothing, servers whose tools are missing, and a long
// module. It returns an error if the whole filter selects nothing.
func (o *getTypesOptions) remark(filter toolscript.Filter, t api.Types) error {
	o.ReportWait(t.WaitedFor)
	if len(t.Unknown) > 0 && len(t.Unknown) == len(filter) {
		return app.UnknownError(t.Unknown[0])
	}
	for _, u := range t.Unknown {
		o.Warn("%v", app.UnknownError(u))
	}
	if pending := pendingServers(t); len(pending) > 0 {
		o.Warn("still connecting, so their tools are missing: %s", strings.Join(pending, ", "))
	}
	if filter != nil {
		return nil
	}
	if len(t.Missing) > 0 {
		o.Warn("not connected: %s", app.MissingReasons(t.Missing))
	}
	if length := len(t.Module); length > longModule && o.out == "" {
		o.Warn("these are the types of all %d tools, %d KB, about %d tokens; for fewer: toolscript get-types SERVER, or toolscript search 'what to do' --output types",
			t.Tools, length>>10, length/terminal.BytesPerToken)
	}
	return nil
}

func pendingServers(t api.Types) (names []string) {
	for _, m := range t.Missing {
		if m.State.Connects() {
			names = append(names, m.Name)
		}
	}
	return names
}

func (o *getTypesOptions) module() api.Form {
	switch {
	case o.out != "":
		return api.Declarations
	case o.full:
		return api.Full
	default:
		return api.Compact
	}
}

func (o *getTypesOptions) markdown(t api.Types) error {
	text := "```typescript\n" + strings.TrimRight(t.Module, "\n") + "\n```"
	if t.Example != "" {
		text += "\n\nUsage example:\n\n```typescript\n" + t.Example + "```"
	}
	_, err := io.WriteString(o.Stdout, text+"\n")
	return err
}

// writeOut writes the files for an editor to the folder of --out.
func (o *getTypesOptions) writeOut(declarations string) error {
	config, err := WriteForEditor(o.Absolute(o.out), declarations)
	if err != nil {
		return err
	}
	if config == EditorExtended {
		o.Say("toolscript: your tsconfig.json was not changed; add to it:  \"extends\": \"./%s\"", config)
	}
	return o.Print("wrote %s, %s and %s to %s", EditorTypes, EditorGlobals, config, o.out)
}
