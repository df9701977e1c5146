package confine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/setup"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/runner/confined"
	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/transport/upstream"
)

// The choices of --verify.
const (
	verifyNothing = "none"
	verifyStart   = "start"
	verifyScript  = "script"
)

type confineSuggestOptions struct {
	app.ChangeOptions
	command string // for usage errors
	script  exec.CommandLine
	span    app.Duration
	verify  app.Choice
	replace bool
	trust   bool
}

func newConfineSuggest(a *app.App) *cobra.Command {
	o := &confineSuggestOptions{
		ChangeOptions: app.ChangeOptions{App: a},
		verify:        app.Choice{Value: verifyStart, Choices: []string{verifyNothing, verifyStart, verifyScript}},
	}
	c := &cobra.Command{
		Use:   "suggest SERVER",
		Short: "Watch a server while it works, and write its \"confine\"",
		Long: `Watch a server while it works, and write its "confine".

The server is started without restrictions, in the environment of a confined server: with
the proxy, and with its own temporary folder. While it works, the kernel reports which files
it opens and changes, which programs it starts and where it connects. What it needs and no
confined server has anyway becomes the profile. Places of secrets, such as ~/.ssh, are named
and never added.

With -e or -f, a script uses the server. Without, a gateway runs until Ctrl-C or for the time
of --for, and other commands and agents use the server through it. Only what happens in the
session is in the profile: use the tools that you need, with the folders that you work in.

The profile is shown with the reason for each entry. The server is started once more with it,
and --verify script also runs the script again, which may repeat its effects. Then the change
of the configuration file is shown. An existing "confine" is kept and extended.

This needs Linux 5.9 or newer.`,
		Example: `  toolscript confine suggest files -e 'return await tools.files.listDirectory({path: "."})'
  toolscript confine suggest github --for 10m`,
		Args: func(c *cobra.Command, args []string) error {
			if o.Undo {
				return app.Takes("[SERVER]")(c, args)
			}
			return app.Takes("SERVER")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.Undo {
				return o.TakeBack(c.Context(), changeKind)
			}
			o.command = c.CommandPath()
			o.script.HasEval = c.Flags().Changed("eval")
			return o.run(c.Context(), args[0])
		},
	}
	f := c.Flags()
	f.StringVarP(&o.script.Eval, "eval", "e", "", "run this `code` while the server is watched")
	f.StringVarP(&o.script.File, "file", "f", "", "run this `file` while the server is watched; - is standard input")
	f.Var(&o.span, "for", "end the session without a script after this time (default with Ctrl-C)")
	f.Var(&o.verify, "verify", "what is done again with the profile: nothing, the start, or also the script")
	f.BoolVar(&o.replace, "replace", false, "leave out the \"confine\" that the server has")
	app.AddTrust(f, &o.trust)
	o.AddFlags(c)
	return c
}

// changeKind is the kind of the backups of this command.
const changeKind = "confine"

// hasScript reports whether a script uses the server.
func (o *confineSuggestOptions) hasScript() bool { return o.script.HasEval || o.script.File != "" }

func (o *confineSuggestOptions) check() error {
	switch {
	case !o.hasScript() && o.span == 0 && !terminal.Is(o.Stdin):
		return app.Usage(o.command, "there is no terminal to end the session with Ctrl-C: give a script with -e CODE or -f FILE, or a time with --for 10m")
	case o.script.HasEval && o.script.File != "", o.hasScript() && o.span > 0:
		return app.Usage(o.command, "give one of -e CODE, -f FILE and --for")
	case !o.hasScript() && o.verify.Value == verifyScript:
		return app.Usage(o.command, "--verify script needs a script: -e CODE or -f FILE")
	}
	return nil
}

func (o *confineSuggestOptions) run(ctx context.Context, server string) error {
	if err := o.check(); err != nil {
		return err
	}
	file, _, err := setup.DefinedIn(&o.ChangeOptions, server)
	if err != nil {
		return err
	}
	loaded, err := o.Host.Load(o.trust)
	if err != nil {
		return err
	}
	c := loaded.Servers[server]
	if err := watchable(loaded, server); err != nil {
		return err
	}
	if err := observed.Works(); err != nil {
		return &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf("%s cannot be watched here: %w; write \"confine\" by hand, see docs/confine.md", server, err)}
	}
	before, err := o.before(file, server, c)
	if err != nil {
		return err
	}
	s := &watching{confineSuggestOptions: o, server: server, loaded: loaded}
	if o.hasScript() {
		if s.src, err = o.findScript(ctx); err != nil {
			return err
		}
	}
	record, err := s.session(ctx)
	if err != nil {
		return err
	}
	suggested := Suggest(record, o.scene(file, c), before)
	r := &SuggestedProfile{Server: server, Confine: suggested.Profile, Reasons: suggested.Reasons, Problems: suggested.Problems, Unread: record.Unread(), More: record.More()}
	if !o.Form.Structured() {
		if err := o.show(r); err != nil {
			return err
		}
	}
	s.verified(ctx, r)
	return o.write(ctx, file, r)
}

// watchable returns an error if a server cannot be watched.
func watchable(loaded *config.Config, server string) error {
	c := loaded.Servers[server]
	fail := func(kind toolscript.Kind, format string, args ...any) error {
		return &toolscript.Error{Kind: kind, Server: server, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case slices.Contains(loaded.Untrusted, server):
		return fail(toolscript.Forbidden, "the project's file that defines it is not trusted; read it, then run: toolscript trust, or add --trust to this command")
	case !c.Kind().Process:
		return fail(toolscript.Unsupported, `"confine" is for servers of the type stdio, which are processes of this machine; its type is %s`, c.Type)
	case c.Disabled:
		return fail(toolscript.Conflict, "it is disabled; to start it: %s", toolscript.Command("enable", server))
	case c.Shared != "":
		return fail(toolscript.Unsupported, `a hub runs it ("shared": %q), and only a process of this command can be watched; remove "shared" from its definition, run this command, and add it again`, c.Shared)
	case c.Problem != nil:
		return c.Problem // it names the server
	}
	return nil
}

func (o *confineSuggestOptions) findScript(ctx context.Context) (exec.Script, error) {
	o.script.Command, o.script.Dir, o.script.Stdin = o.command, o.Dir, o.Stdin
	return o.script.Find(ctx)
}

// before returns the present profile of the server; with --replace, an empty profile.
func (o *confineSuggestOptions) before(file clients.File, server string, c upstream.Config) (p Profile, err error) {
	if c.Confine == nil || o.replace {
		return p, nil
	}
	written, err := clients.Confine(file, server)
	if err != nil {
		return p, err
	}
	p.Name, _ = written.(string)
	lists, _ := written.(map[string]any)
	entries := func(key string, paths []string) (all []Entry) {
		texts, _ := lists[key].([]any)
		for i, path := range paths {
			text := path
			if len(texts) == len(paths) {
				text, _ = texts[i].(string)
			}
			all = append(all, Entry{Path: path, Text: text})
		}
		return all
	}
	p.Read, p.Write, p.Net = entries("read", c.Confine.Read), entries("write", c.Confine.Write), slices.Clone(c.Confine.Net)
	return p, nil
}

// scene returns the folders and the arguments with which the server works.
func (o *confineSuggestOptions) scene(file clients.File, c upstream.Config) Scene {
	data, _ := config.DataDir(o.Host.ConfigOptions(false)) // empty without a home folder
	return Scene{Home: o.home(), Data: data, Config: filepath.Dir(file.Path), Args: c.Args}
}

// home returns the home folder of the user; "" if it is unknown.
func (o *confineSuggestOptions) home() string {
	home := o.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return ""
	}
	return home
}

// write shows the change of the configuration, asks, and writes it.
func (o *confineSuggestOptions) write(ctx context.Context, file clients.File, r *SuggestedProfile) error {
	text, err := json.Marshal(r.Confine)
	if err != nil {
		return err
	}
	plan := &clients.Import{}
	failed := r.Verified.Error != ""
	if !failed {
		change, err := clients.SetConfine(file, r.Server, text)
		if err != nil {
			return err
		}
		if change == nil {
			o.Say("%s has this profile already", r.Server)
		} else {
			plan.Changes = []*clients.Change{change}
		}
	}
	if r.Result, err = o.Change(ctx, changeKind, o.With("--yes"), plan); err != nil {
		return err
	}
	if o.Form.Structured() {
		if err := o.Form.Write(o.Stdout, r); err != nil {
			return err
		}
	}
	switch {
	case !failed:
		return nil
	case o.Form.Structured():
		return &app.Error{Code: app.Failure}
	default:
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New(
			"nothing was written: with this profile, " + r.Verified.Error + "; use more of the server while it is watched, or add what is missing by hand")}
	}
}

// confineOf converts a profile to the restrictions of a server that is started.
func confineOf(p Profile) upstream.Confine {
	return upstream.Confine{Read: Paths(p.Read), Write: Paths(p.Write), Net: p.Net}
}

// holds returns why this system cannot verify profiles; "" if it can.
func holds() string {
	if missing := confined.Missing(confined.Parts(nil)); len(missing) > 0 {
		return "this system cannot confine servers: " + missing[0]
	}
	return ""
}

// group is a path of the profile, with the uses of files that it covers.
type group struct {
	path    string
	write   bool
	count   int
	example string
}

// key identifies a group.
type key struct {
	path  string
	write bool
}

// groups is a set of groups.
type groups struct{ all map[key]*group }

// add adds a group, or adds its uses to the existing group of the same key.
func (s *groups) add(g group) {
	if s.all == nil {
		s.all = map[key]*group{}
	}
	if old := s.all[key{g.path, g.write}]; old != nil {
		old.absorb(g)
		return
	}
	s.all[key{g.path, g.write}] = &g
}

// absorb adds the uses of another group.
func (g *group) absorb(other group) {
	g.count += other.count
	g.example = cmp.Or(g.example, other.example)
}

// holder returns the innermost group that contains a path and allows the use: writing, or
// for write = false also reading. It returns nil if there is none.
func (s *groups) holder(path string, write bool) *group {
	for up := range upward(path) {
		if g := s.all[key{up, true}]; g != nil {
			return g
		}
		if g := s.all[key{up, false}]; g != nil && !write {
			return g
		}
	}
	return nil
}

// count adds the uses of a file to the writable group that contains it, and reports whether there is one.
func (s *groups) count(f observed.File) bool {
	g := s.holder(f.Path, true)
	if g != nil {
		g.count += f.Count()
	}
	return g != nil
}

// merged returns the groups that no other group contains, with the uses of those that they
// contain. They are sorted by path.
func (s *groups) merged() (out []group) {
	kept := groups{}
	for _, k := range s.sorted() {
		g := *s.all[k]
		if holder := kept.holder(g.path, g.write); holder != nil {
			holder.absorb(g)
			continue
		}
		kept.add(g)
	}
	for _, k := range kept.sorted() {
		out = append(out, *kept.all[k])
	}
	return out
}

// sorted returns the keys by path: a folder before its content, and write before read.
func (s *groups) sorted() []key {
	return slices.SortedFunc(maps.Keys(s.all), func(a, b key) int {
		if a.path == b.path && a.write != b.write {
			if a.write {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.path, b.path)
	})
}

// many is the number of entries in one folder that are replaced by an entry for the folder.
const many = 3

// crowded adds the folders in which many groups are, from the innermost ones up: a folder
// that is added counts as an entry in the folder above it.
func (s *groups) crowded(tooMuch func(folder string, write bool) bool) *groups {
	levels := map[int][]key{}
	put := func(k key) {
		depth := strings.Count(k.path, "/")
		levels[depth] = append(levels[depth], k)
	}
	out := &groups{}
	for _, g := range s.merged() {
		out.add(g)
		put(key{g.path, g.write})
	}
	if len(levels) == 0 {
		return out
	}
	for depth := slices.Max(slices.Collect(maps.Keys(levels))); depth > 0; depth-- {
		parts := map[key]int{}
		for _, k := range levels[depth] {
			if !k.write && out.all[key{k.path, true}] != nil {
				continue // it is merged into that group
			}
			folder := key{filepath.Dir(k.path), k.write}
			if parts[folder]++; parts[folder] == many && !tooMuch(folder.path, k.write) && out.all[folder] == nil {
				out.add(group{path: folder.path, write: k.write})
				put(folder)
			}
		}
	}
	return out
}
