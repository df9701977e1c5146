package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/api"
)

// callOptions are the options of call. They include those of exec: a call is a run of a script that makes one
// call, so that the rules, the limits and the records of runs apply.
type callOptions struct {
	*Options
	form terminal.Form // form of the result; execOptions.form stays empty
}

// NewCall returns the command call.
func NewCall(a *app.App) *cobra.Command {
	o := &callOptions{Options: NewOptions(a, "toolscript call")}
	c := &cobra.Command{
		Use:                   "call [flags] SERVER.TOOL [KEY=VALUE | KEY:=JSON]... | SERVER.TOOL '{JSON}' | SERVER.TOOL -",
		DisableFlagsInUseLine: true,
		Short:                 "Call one tool",
		Long: `Call one tool, and print its result.

SERVER.TOOL is the tool as scripts write it, such as github.createIssue, or its id, such
as github__create_issue. KEY=VALUE is an argument: a text if the tool takes one, else the
number, boolean, array, object or null that the value is as JSON. KEY is the name of a
parameter, or has only letters, digits, _, - and . in it. One value for a list is a list of
one. KEY:=JSON is always JSON. One word that begins with { has all arguments as JSON, and with
"-" the arguments are one JSON object on standard input. They are checked before the call is
made.

KEY=@PATH has the text of a file, such as KEY=@./notes.md or KEY=@/tmp/notes.md, and KEY:=@PATH
its JSON. The PATH of KEY=@PATH begins with /, ./ or ../. A text that begins with @ is written
with two: KEY=@@octocat is the text @octocat. In the form '{JSON}' no value is read from a file.

--stdio and --url use a server that is in no configuration file, for this call only.

A text is printed as it is, any other result as JSON, at a terminal with indentation.
-o json prints all results as JSON on one line, and -o table prints a list as a table.
The exit codes are those of toolscript exec.`,
		Example: `  toolscript call github.createIssue owner=octo repo=cat title='It purrs' labels:='["bug"]'
  toolscript call github.createIssue owner=octo repo=cat title='It purrs' body=@./report.md
  echo '{"path": "README.md"}' | toolscript call files.readFile -
  toolscript call --stdio 'npx -y @modelcontextprotocol/server-everything' adhoc.echo message=hello`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Usage(c.CommandPath(), "missing argument: SERVER.TOOL")
			}
			if tool, rest, is := strings.Cut(args[0], "("); is {
				return app.Usage(c.CommandPath(), "the arguments of a tool are words of their own: write %s key=value, or %s",
					toolscript.Command("call", tool), toolscript.Command("exec", "return await tools."+strings.TrimPrefix(tool, "tools.")+"("+rest))
			}
			return o.run(c.Context(), args[0], args[1:])
		},
	}
	f := c.Flags()
	o.limits.Add(f)
	f.StringVar(&o.Out, "out", "", "write the result to this `file` instead of stdout, or the bytes of an image; if it is a folder (DIR/), write the images and files of the result there, and print their names")
	f.Var(&o.MaxTokens, "max-tokens", "print about this much of the result, and the command that prints the rest; 0 prints the whole result (default 10000 on a terminal, else no limit)")
	f.BoolVar(&o.Record, "record", false, "keep the arguments and the result on the disk, so that toolscript runs replay can make the call again")
	f.BoolVar(&o.Plan, "plan", false, "if the tool may change something, print the call instead of making it")
	app.AddTrust(f, &o.Trust)
	terminal.AddValueForm(f, &o.form, "print the result as JSON")
	c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		return completeCall(a, c, args, begun)
	}
	return c
}

func (o *callOptions) run(ctx context.Context, name string, words []string) error {
	if err := o.CheckFiles(); err != nil {
		var wrong *app.UsageError
		if errors.As(err, &wrong) {
			return err
		}
		return o.output().Finish(err)
	}
	at, release, err := o.Place(ctx)
	if err != nil {
		return err
	}
	defer release()
	from, err := o.describer(at)
	if err != nil {
		return err
	}
	tool, err := o.describe(ctx, from, name)
	if err != nil {
		return err
	}
	args, err := o.arguments(ctx, tool, words, nil)
	if err != nil { // the schema may be old
		fresh, failed := from.Refresh(ctx, name)
		if failed != nil || reflect.DeepEqual(fresh.InputSchema, tool.InputSchema) {
			return err
		}
		tool = fresh
		if args, err = o.arguments(ctx, tool, words, args); err != nil {
			return err
		}
	}
	out := callOutput{LiveOutput(o.App, o.printer(), o.Notice)}
	o.param = args
	return Run(ctx, at, o.request(callOf(tool)), nil, Noted(o.App, out), o.Person())
}

// callOutput prints errors without their place in the script, which the user did not write.
type callOutput struct{ *Live }

// Event implements exec.Output.
func (c callOutput) Event(e toolscript.Event) error {
	if e.End != nil && e.Error != nil {
		end, failed := *e.End, *e.Error
		failed.Stack, failed.Excerpt = "", ""
		end.Error, e.End = &failed, &end
	}
	return c.Live.Event(e)
}

// callOf returns a script that makes one call. The arguments of the call are the parameter of the script, so
// that all calls of a tool have the same script, and no text in the arguments is read as code.
func callOf(tool toolscript.ToolDescription) Script {
	return Script{Code: "export default (args) => " + tool.Call + "(args)"}
}

// request returns the run of a call. The types of the script are not checked, because the arguments were
// checked against the schema.
func (o *callOptions) request(s Script) toolscript.ExecRequest {
	r := o.Options.Request(s)
	r.Check = toolscript.CheckOff
	return r
}

// printer returns a printer of results. Without a form, it prints strings as plain text.
func (o *callOptions) printer() terminal.ValuePrinter {
	p := o.Options.Printer()
	p.Write = func(w io.Writer, text []byte) error {
		if o.form == "" && len(text) > 0 && text[0] == '"' {
			return o.writeValue(w, text, terminal.AsRaw)
		}
		return o.writeValue(w, text, o.form)
	}
	return p
}

// describer describes tools: a gateway, or the daemon of this process.
type describer interface {
	Describe(ctx context.Context, name string) (toolscript.ToolDescription, error)
	Refresh(ctx context.Context, name string) (toolscript.ToolDescription, error)
	Servers(ctx context.Context, f toolscript.Filter, wait time.Duration) ([]toolscript.ServerStatus, error)
}

// directDescriber describes the tools of the daemon of this process, with the methods of Direct.
type directDescriber struct {
	OwnPlace
	api.Direct
}

// describer returns the describer of the tools of a place.
func (o *callOptions) describer(at HarnessPlace) (describer, error) {
	if own, is := at.(OwnPlace); is {
		used, allow, err := own.Profile(o.Target.Profile)
		return directDescriber{own, api.Direct{Backend: own.Daemon, Allow: allow, Profile: used}}, err
	}
	from, remote := at.(describer)
	if !remote {
		return nil, errors.ErrUnsupported
	}
	return from, nil
}

// describe finds a tool by its name. If the server of the tool is connecting, it waits for
// the server.
func (o *callOptions) describe(ctx context.Context, from describer, name string) (toolscript.ToolDescription, error) {
	tool, err := from.Describe(ctx, name)
	if err == nil {
		return tool, nil
	}
	servers, failed := from.Servers(ctx, nil, 0)
	if failed != nil {
		return tool, err
	}
	owner := ownerOf(name, servers)
	switch {
	case owner.Name == "":
		return tool, o.unknown(ctx, name, servers, err)
	case owner.Serves() && toolscript.KindOf(err) == toolscript.NotFound:
		return tool, err
	}
	// The server was connecting. It may be connected by now.
	awaited := owner.Name
	if !strings.HasPrefix(name, awaited) { // a name without an account, which the gateway resolves
		awaited = toolscript.WithoutAccount(awaited)
	}
	over := o.Waiting(app.ConnectingText)
	_, failed = from.Servers(ctx, toolscript.Filter{awaited}, actors.DefaultConnectTimeout)
	over()
	if failed != nil {
		return tool, failed
	}
	return from.Describe(ctx, name)
}

// mostServers is the most servers that an error names.
const mostServers = 10

// unknown returns the error for a name that belongs to no server. err is the error of the gateway, which may
// suggest names of tools. If it does not, the suggestions come from the last lists of the servers.
func (o *callOptions) unknown(ctx context.Context, name string, servers []toolscript.ServerStatus, err error) error {
	if toolscript.KindOf(err) != toolscript.NotFound {
		return err
	}
	var names, tools []string
	for _, s := range servers {
		if name == s.Name || name == naming.ServerIdentifier(s.Name) {
			return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("%s is a server; name one of its tools, as in %s.TOOL; see: %s", name, name, toolscript.Command("list-tools", s.Name))}
		}
		names = append(names, s.Name)
	}
	for _, t := range callableTools(ctx, o.App, nil) {
		tools = append(tools, t.name)
	}
	near := naming.DidYouMean(naming.Nearest(name, tools, 3))
	switch extra := ExtraServers(o.App); {
	case strings.Contains(err.Error(), "did you mean"):
		return err
	case len(extra) > 0:
		near = "; the flags name the server " + strings.Join(extra, ", ")
	case near == "" && len(names) > 0 && len(names) <= mostServers:
		near = "; the servers are: " + strings.Join(names, ", ")
	case len(servers) == 0:
		near = "; no servers are configured; " + config.AddServers
	case near == "":
		near = "; see: toolscript list-servers"
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no tool %.200q%s", name, near)}
}

// ownerOf returns the server of a tool that is written as server.tool or server__tool: among several, the one
// with the longest name, and of those with names of one length the one whose name is written exactly. If there is none,
// the result is the zero value.
func ownerOf(tool string, servers []toolscript.ServerStatus) (owner toolscript.ServerStatus) {
	tool = strings.TrimPrefix(tool, "tools.")
	has := func(name string) bool {
		return strings.HasPrefix(tool, name+".") || strings.HasPrefix(tool, name+toolscript.Separator)
	}
	for _, s := range servers {
		longer, exact := len(s.Name)-len(owner.Name), has(s.Name)
		if longer > 0 && (exact || has(naming.ServerIdentifier(s.Name))) || longer == 0 && exact {
			owner = s
		}
	}
	if rest, is := strings.CutPrefix(tool, "mcp"+toolscript.Separator); is && owner.Name == "" { // as Claude Code names it
		return ownerOf(rest, servers)
	}
	return owner
}

// arguments reads and checks the arguments of a call. read is what an earlier call has read from standard
// input; nil if nothing was read.
func (o *callOptions) arguments(ctx context.Context, tool toolscript.ToolDescription, words []string, read json.RawMessage) (json.RawMessage, error) {
	schema, err := json.Marshal(tool.InputSchema)
	if err != nil {
		return nil, err
	}
	args := read
	if readsStdin(words) && read != nil {
		err = CheckArguments(ctx, read, schema)
	} else {
		args, err = o.object(ctx, words, schema)
	}
	if err != nil {
		return args, fmt.Errorf("%w; see: %s", err, toolscript.Command("get-types", tool.ToolID))
	}
	return args, nil
}
