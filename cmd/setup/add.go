package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type addOptions struct {
	givenServer
	registry string
	from     string
	secrets  bool
	earlier  bundleRecord // record of the bundle that a new one replaces; its folder is "" if there is none
}

// addKinds are the choices of --from.
var addKinds = []string{"remote", "npm", "pypi", "oci", "nuget", "mcpb"}

// NewAdd returns the command add.
func NewAdd(a *app.App) *cobra.Command {
	o := &addOptions{givenServer: givenServer{ChangeOptions: app.ChangeOptions{App: a}}}
	c := &cobra.Command{
		Use:   "add NAME -- COMMAND [ARGS]... | NAME URL | SERVER[@VERSION] [KEY=VALUE]... | FILE.mcpb [KEY=VALUE]...",
		Short: "Add a server to the configuration: a command, an address, a bundle, or one of the MCP Registry",
		Long: `Add a server to the configuration: a command, an address, a bundle, or one of the MCP Registry.

  toolscript add files -- npx -y @modelcontextprotocol/server-filesystem .
  toolscript add issues https://mcp.example.com/mcp --header 'Authorization: Bearer ${TOKEN}'
  toolscript add --transport sse old https://mcp.example.com/sse

NAME may be left out; it is then made from the command or the address.

SERVER is the name in the registry, such as io.github.octocat/weather, or a part of it
that only one server has: if several have it, they are listed. The publisher, the package,
what it may do and the variables it needs are shown first, with the change.

KEY=VALUE gives a value to an input of the server. The file gets ${NAME} for every secret
and every required input without a value, and the output names the variables to set. The
version of a package is written into the file. At a terminal, the command then offers the
login at a remote server, or with --secrets to store the secrets.

FILE.mcpb is a bundle of a server with its manifest (MCPB). It is unpacked below the data
folder, and its settings are asked for or given as KEY=VALUE; those that are sensitive
become secrets. toolscript remove deletes its files and secrets. A bundle of the registry
is downloaded with --from mcpb, or if the server has nothing else; its hash is checked.`,
		Example: `  toolscript add io.github.octocat/weather units=metric
  toolscript add weather --from npm --name forecast`,
		Args: func(c *cobra.Command, args []string) error {
			if !o.Undo && len(args) == 0 {
				return app.Usage(c.CommandPath(), "missing argument: NAME -- COMMAND, NAME URL, or a SERVER of the registry")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return o.dispatch(c, args) },
	}
	f := c.Flags()
	f.StringVar(&o.registry, "registry", a.Getenv("TOOLSCRIPT_REGISTRY"), "the `address` of the registry (default $TOOLSCRIPT_REGISTRY, else "+URL+")")
	f.StringVar(&o.name, "name", "", "`name` of the server in the configuration (default: made from the name in the registry, the command or the address)")
	f.StringVar(&o.from, "from", "", "the `kind` of package to use, or remote: "+strings.Join(addKinds, ", ")+" (default the first that the server has)")
	o.addServerFlags(c)
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(addKinds, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	f.BoolVar(&o.secrets, "secrets", false, "take secrets from the secret store (${secret:NAME}), not from variables; see toolscript secret")
	o.AddFlags(c)
	return c
}

// dispatch undoes the last addition with --undo. Otherwise it adds the server that the arguments name: a bundle, a
// command, an address, or a server of the registry.
func (o *addOptions) dispatch(c *cobra.Command, args []string) error {
	if o.Undo {
		return sweepBundles(c.Context(), &o.ChangeOptions, func() error { return o.TakeBack(c.Context(), "add") })
	}
	if c.ArgsLenAtDash() < 0 && isBundle(args[0]) {
		if len(o.env)+len(o.headers) > 0 || o.from != "" || o.kind.Value != "" {
			return app.Usage(c.CommandPath(), "--env, --header, --transport and --from are not for a bundle; its manifest says what it takes, as KEY=VALUE")
		}
		return o.addBundle(c.Context(), args[0], args[0], args[1:])
	}
	if c.ArgsLenAtDash() < 0 && len(args) == 2 && isBundle(args[1]) {
		return app.Usage(c.CommandPath(), "the file of a bundle comes first: %s", toolscript.Command("add", args[1], "--name", args[0]))
	}
	given, err := o.given(args, c.ArgsLenAtDash())
	switch {
	case err != nil:
		return app.Usage(c.CommandPath(), "%v", err)
	case given:
		return o.runGiven(c.Context())
	}
	return o.run(c.Context(), args[0], args[1:])
}

// given parses a command after "--", or an address, into o. It returns false for a server of the registry.
func (o *addOptions) given(args []string, dash int) (bool, error) {
	words, isCommand := args, dash >= 0
	if isCommand {
		words, o.command = args[:dash], args[dash:]
	} else if last := args[len(args)-1]; isAddress(last) {
		words, o.url = args[:len(args)-1], last
	}
	switch {
	case isCommand && len(o.command) == 0:
		return false, errors.New("missing the command after --")
	case !isCommand && o.url == "" && (len(o.env) > 0 || len(o.headers) > 0):
		return false, errors.New("--env and --header are for NAME -- COMMAND and NAME URL; a server of the registry takes KEY=VALUE")
	case !isCommand && o.url == "":
		return false, o.checkTransport()
	case len(words) > 1 || len(words) == 1 && o.name != "":
		return false, fmt.Errorf("one NAME is needed, not %s; flags of toolscript come before --", strings.TrimSpace(strings.Join(append(words, o.name), " ")))
	case o.from != "" || o.secrets:
		return false, errors.New("--from and --secrets are for servers of the registry")
	}
	if len(words) == 1 {
		o.name = words[0]
	}
	return true, nil
}

// runGiven adds the server of a command or an address that given has parsed.
func (o *addOptions) runGiven(ctx context.Context) error {
	plan, err := o.addServer()
	if toolscript.KindOf(err) == toolscript.Conflict {
		return &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("%w, or remove it: %s", err, toolscript.Command("remove", o.serverName()))}
	}
	if err != nil {
		return err
	}
	if o.url != "" && len(o.headers) == 0 {
		plan.Notes = append(plan.Notes, "if the server wants a login, run: "+toolscript.Command("auth", o.serverName()))
	}
	return o.CarryOut(ctx, "add", o.With("--yes"), plan)
}

func (o *addOptions) run(ctx context.Context, server string, words []string) error {
	values, err := pairsOf(words)
	if err != nil {
		return app.Usage(o.self.CommandPath(), "%v", err)
	}
	entry, err := o.find(ctx, server)
	if kind := toolscript.KindOf(err); err != nil && kind != toolscript.Conflict {
		return &toolscript.Error{Kind: kind, Err: fmt.Errorf("%w; to add a server without the registry: toolscript add NAME -- COMMAND, or toolscript add NAME URL", err)}
	}
	if err != nil {
		return err
	}
	if o.takesBundle(entry.Server) {
		return o.addRegistryBundle(ctx, entry, words)
	}
	choices, refused, err := Choices(entry.Server, values, o.secrets)
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%s: %w", entry.Server.Name, err)}
	}
	choice, err := o.choose(entry, choices, refused)
	if err != nil {
		return err
	}
	plan, err := o.plan(entry, choice)
	if err != nil {
		return err
	}
	o.describe(entry, choice, choices, refused)
	if len(plan.Changes) == 0 {
		o.Say("the configuration has this server already")
	}
	if err := o.CarryOut(ctx, "add", o.With("--yes"), plan); err != nil {
		return err
	}
	return o.prepareServer(ctx, plan, choice)
}

// pairsOf parses words of the form KEY=VALUE. Each KEY may occur once.
func pairsOf(words []string) (map[string]string, error) {
	values := map[string]string{}
	for _, w := range words {
		key, value, found := strings.Cut(w, "=")
		if _, twice := values[key]; !found || key == "" || twice {
			return nil, fmt.Errorf("%.80q is not KEY=VALUE, or KEY is given twice; to add a program, write -- before it: toolscript add NAME -- COMMAND", w)
		}
		values[key] = value
	}
	return values, nil
}

// find returns the server of the registry with the name in text, else the only server whose name contains it.
// The user must choose among several, because a name can imitate another. text may end with @VERSION.
func (o *addOptions) find(ctx context.Context, text string) (Entry, error) {
	client := &Client{URL: o.registry, Dir: o.Host.Cache("registry"), Older: func(at time.Time, reason error) {
		o.Warn("%v; using a copy of %s", reason, terminal.LocalTime(at))
	}}
	over := o.Waiting("asking the registry")
	defer over()
	name, version, _ := strings.Cut(text, "@")
	if IsName(name) {
		return client.Get(ctx, name, version)
	}
	found, more, err := client.Search(ctx, name)
	switch {
	case err != nil:
		return Entry{}, err
	case len(found) == 0:
		return Entry{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("the registry has no server with %.80q in its name", name)}
	case len(found) > 1 || more:
		return Entry{}, o.several(name, found, more)
	case version != "":
		return client.Get(ctx, found[0].Server.Name, version)
	}
	return found[0], nil
}

// FoundServer is one of several servers whose names contain a searched text.
type FoundServer struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Status      string `json:"status,omitempty"`
	Description string `json:"description"`
}

// mostShown bounds the servers in the table of several.
const mostShown = 20

// several prints the found servers and returns an error of kind Conflict. more says that the registry has further
// ones.
func (o *addOptions) several(text string, found []Entry, more bool) error {
	list := []FoundServer{}
	for _, e := range found {
		list = append(list, FoundServer{e.Server.Name, e.Server.Version, e.Meta.Official.Status, e.Server.Description})
	}
	shown := list[:min(mostShown, len(list))]
	if o.Form.Structured() {
		if err := o.Form.Write(o.Stdout, list); err != nil {
			return err
		}
		shown = list
	} else {
		t := terminal.Table{Header: []string{"Server", "Version", "Description"}}
		for _, s := range shown {
			t.Add(s.Name, s.Version, short(s.Description))
		}
		if err := t.Write(o.Stdout, terminal.Columns(o.Stdout), nil); err != nil {
			return err
		}
	}
	count := fmt.Sprint(len(list))
	if more {
		count = "more than " + count
	}
	if len(shown) < len(list) {
		count += fmt.Sprintf(" (%d are shown)", len(shown))
	}
	return &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("%s servers of the registry have %.80q in their names; choose one by its whole name, for example: %s", count, text, toolscript.Command("add", list[0].Name))}
}

// short returns the beginning of a description in one line, because publishers may write long ones.
func short(text string) string {
	const most = 200
	text = terminal.OneLine(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// choose returns the way to run the server: the first choice, or the first of the kind of --from.
func (o *addOptions) choose(entry Entry, choices []Choice, refused []string) (Choice, error) {
	for _, c := range choices {
		if o.from == "" || o.from == c.Kind {
			return c, nil
		}
	}
	var why []string
	for _, c := range choices {
		why = append(why, "it has "+c.Kind)
	}
	text := entry.Server.Name + " has nothing that toolscript can run"
	if o.from != "" {
		text = fmt.Sprintf("%s has no %q that toolscript can run", entry.Server.Name, o.from)
	}
	if why = append(why, refused...); len(why) > 0 {
		text += ": " + strings.Join(why, "; ")
	}
	return Choice{}, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New(text)}
}

// target returns the file that gets the server.
func (o *addOptions) target() (clients.File, error) {
	_, targets, err := o.Where()
	if o.project {
		return targets.Project, err
	}
	return targets.User, err
}

// plan returns the change of the configuration that adds the server.
func (o *addOptions) plan(entry Entry, choice Choice) (*clients.Import, error) {
	file, err := o.target()
	if err != nil {
		return nil, err
	}
	name := cmp.Or(o.name, entry.Server.LocalName())
	write := clients.AddServer
	if o.earlier.folder != "" {
		write = replaceBundle
	}
	change, err := write(file, name, choice.Definition)
	if toolscript.KindOf(err) == toolscript.Conflict {
		return nil, &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("%w with --name", err)}
	}
	if err != nil {
		return nil, err
	}
	plan := &clients.Import{Taken: []clients.Taken{{Name: name, Client: "registry", From: entry.Server.Name + "@" + entry.Server.Version, To: file.Path}}}
	if change != nil {
		plan.Changes = []*clients.Change{change}
	}
	if !o.secrets && slices.ContainsFunc(choice.Needed, func(v Variable) bool { return v.Secret }) {
		plan.Notes = append(plan.Notes, "toolscript can keep the secrets instead of variables: "+o.With("--secrets"))
	}
	for _, v := range choice.Needed {
		if v.Secret && o.secrets {
			plan.Notes = append(plan.Notes, fmt.Sprintf("store the secret, when the server is written: %s", toolscript.Command("secret", "set", v.Name, "--for", name)))
			continue
		}
		plan.Variables = append(plan.Variables, clients.Variable{Name: v.Name, Server: name, Why: short(v.Description)})
	}
	for _, v := range choice.Optional {
		plan.Notes = append(plan.Notes, "it also takes "+v.Name+", which is not required"+about(v))
	}
	if choice.Kind == "remote" && len(choice.Needed) == 0 {
		plan.Notes = append(plan.Notes, "if the server wants a login, run: "+toolscript.Command("auth", name))
	}
	return plan, nil
}

func about(v Variable) string {
	if v.Description == "" {
		return ""
	}
	return ": " + short(v.Description)
}

// row shows a line with a label.
func (o *addOptions) row(label, format string, args ...any) {
	o.Say("%-12s %s", label, terminal.OneLine(fmt.Sprintf(format, args...)))
}

// describeEntry shows which server of the registry is added.
func (o *addOptions) describeEntry(e Entry) {
	o.row("server:", "%s %s: %s", e.Server.Name, e.Server.Version, short(e.Server.Description))
	if s := e.Meta.Official; s.Status != "" && s.Status != "active" {
		o.row("status:", "%s %s", s.Status, short(s.StatusMessage))
	}
	o.row("publisher:", "%s", e.Server.Publisher())
	if e.Server.Repository.URL != "" {
		o.row("source:", "%s", e.Server.Repository.URL)
	}
}

// describe shows the entry of a server in the registry, and the permissions of the server.
func (o *addOptions) describe(e Entry, c Choice, all []Choice, refused []string) {
	say := o.row
	o.describeEntry(e)
	if c.Kind == "remote" {
		say("runs:", "at %s, which gets the arguments of its calls", c.From)
		say("permissions:", "none on this machine")
	} else {
		say("package:", "%s of %s", c.From, c.Kind)
		say("runs:", "%s", c.Runs)
		if len(c.Flags) > 0 {
			say("flags:", "the publisher starts the package with %s", strings.Join(c.Flags, " "))
		}
		say("permissions:", "%s", permissions[c.Kind])
	}
	for _, other := range all {
		if other.Kind != c.Kind {
			say("also:", "%s, with --from %s", other.From, other.Kind)
		}
	}
	for _, r := range refused {
		say("left out:", "%s", r)
	}
	for _, v := range c.Needed {
		kind := "required"
		if v.Secret {
			kind = "secret"
		}
		say("needs:", "%s (%s)%s", v.Name, kind, about(v))
	}
}

// permissions says what the programs of each kind of package may do.
var permissions = map[string]string{
	"npm":   "all that you may do: it is a program on this machine",
	"pypi":  "all that you may do: it is a program on this machine",
	"nuget": "all that you may do: it is a program on this machine",
	"oci":   "the network, and what the flags give it of this machine",
}
