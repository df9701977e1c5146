package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/form"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// changeOptions are those of the commands that edit files of the user: they show a
// change first, and can undo it.
type changeOptions struct {
	*app
	yes  bool
	undo bool
	form form.Form

	answers *bufio.Reader // of the user at the terminal
}

func (o *changeOptions) addFlags(c *cobra.Command) {
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "write the change without asking")
	c.Flags().BoolVar(&o.undo, "undo", false, "take back the last change of this command")
	c.MarkFlagsMutuallyExclusive("yes", "undo")
	form.Add(c.Flags(), &o.form, "print the change as JSON")
}

// changed is the output of --json.
type changed struct {
	Files     []changedFile      `json:"files"`
	Servers   []clients.Taken    `json:"servers"`
	LeftOut   []clients.Left     `json:"leftOut"`
	Variables []clients.Variable `json:"variables"` // that have to be set
	Notes     []string           `json:"notes"`
	Written   bool               `json:"written"`
	Backup    string             `json:"backup,omitempty"` // folder
}

type changedFile struct {
	Path string `json:"path"`
	New  bool   `json:"new,omitempty"`
	Diff string `json:"diff,omitempty"` // without secrets
}

func newChanged(plan *clients.Import) changed {
	r := changed{
		Files: []changedFile{}, Servers: append([]clients.Taken{}, plan.Taken...), LeftOut: append([]clients.Left{}, plan.Left...),
		Variables: append([]clients.Variable{}, plan.Variables...), Notes: append([]string{}, plan.Notes...),
	}
	for _, c := range plan.Changes {
		r.Files = append(r.Files, changedFile{c.File.Path, c.New(), c.Diff()})
	}
	return r
}

// carryOut shows a change, asks, writes it, and prints the result. again is the
// command that writes it without a question.
func (o *changeOptions) carryOut(ctx context.Context, kind, again string, plan *clients.Import) error {
	if err := o.show(plan); err != nil {
		return err
	}
	r := newChanged(plan)
	if len(plan.Changes) > 0 {
		write, err := o.confirm(ctx, again)
		if err != nil {
			return err
		}
		if write {
			if r.Backup, err = o.apply(ctx, kind, plan); err != nil {
				return err
			}
			r.Written = true
		}
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, r)
	}
	return nil
}

// show prints the change as a diff, and its notes.
func (o *changeOptions) show(plan *clients.Import) error {
	if !o.form.Structured() {
		for _, c := range plan.Changes {
			state := ""
			if c.New() {
				state = " (new)"
			}
			if _, err := fmt.Fprintf(o.Stdout, "%s%s\n%s", terminal.Visible(c.File.Path), state, c.Diff()); err != nil {
				return err
			}
		}
	}
	for _, left := range plan.Left {
		subject := left.Client
		if left.Name != "" {
			subject = left.Name + " of " + left.Client
		}
		o.say("left out: %s: %s (%s)", subject, left.Why, left.From)
	}
	for _, note := range plan.Notes {
		o.say("note: %s", note)
	}
	return nil
}

// confirm reports whether the change is to be written.
func (o *changeOptions) confirm(ctx context.Context, again string) (bool, error) {
	if o.yes {
		return true, nil
	}
	if !terminal.Is(o.Stdin) {
		o.say("nothing was written; to write it, run: %s", again)
		return false, nil
	}
	answer, err := o.ask(ctx, "Write this? [y/N] ")
	if errors.Is(err, errNoAnswer) {
		o.say("\nnothing was written; to write it, run: %s", again)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !affirmed(answer) {
		o.say("nothing was written")
		return false, nil
	}
	return true, nil
}

var errNoAnswer = errors.New("the question was not answered; nothing was written")

func affirmed(answer string) bool {
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}

// ask asks the user at the terminal for one line.
func (o *changeOptions) ask(ctx context.Context, prompt string) (string, error) {
	if o.answers == nil {
		o.answers = bufio.NewReader(o.Stdin)
	}
	return o.question(ctx, o.answers, prompt)
}

// question asks for one line. The error is errNoAnswer if the input has ended.
func (a *app) question(ctx context.Context, answers *bufio.Reader, prompt string) (string, error) {
	a.notice.Hide()
	if _, err := io.WriteString(a.Stderr, terminal.Visible(prompt)); err != nil {
		return "", err
	}
	type reply struct {
		line string
		err  error
	}
	answered := make(chan reply, 1)
	go func() {
		line, err := answers.ReadString('\n')
		answered <- reply{strings.TrimSpace(line), err}
	}()
	select {
	case r := <-answered:
		if r.line == "" && r.err != nil {
			return "", errNoAnswer
		}
		return r.line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// apply writes the files, and prints the next step.
func (o *changeOptions) apply(ctx context.Context, kind string, plan *clients.Import) (string, error) {
	backups, err := o.backups()
	if err != nil {
		return "", err
	}
	folder, err := backups.Apply(kind, plan.Changes)
	if err != nil {
		return "", err
	}
	for _, c := range plan.Changes {
		o.say("wrote %s", c.File.Path)
	}
	o.say("backup: %s", folder)
	if len(plan.Variables) > 0 {
		o.say("set these variables before the servers start:")
	}
	for _, v := range plan.Variables {
		o.say("  export %s=…  # %s: %s", v.Name, v.Server, orElse(v.Why, "see the documentation of the server"))
	}
	for _, c := range plan.Changes {
		if filepath.Base(c.File.Path) != config.FileName {
			continue
		}
		if c.File.Project {
			o.say("%s starts nothing before you trust it: toolscript trust %s", c.File.Path, quotedPath(filepath.Dir(c.File.Path)))
			continue
		}
		if err := o.reloadUsers(ctx, c.File.Path); err != nil {
			o.warn("%v", err)
		}
	}
	return folder, nil
}

// quotedPath quotes a path for a shell if it has characters that need it.
func quotedPath(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("/._-+@,:", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// takeBack undoes the last change of a kind.
func (o *changeOptions) takeBack(ctx context.Context, kind string) error {
	backups, err := o.backups()
	if err != nil {
		return err
	}
	paths, err := backups.Undo(kind)
	if err != nil {
		return err
	}
	r := changed{Files: []changedFile{}, Servers: []clients.Taken{}, LeftOut: []clients.Left{}, Variables: []clients.Variable{}, Notes: []string{}, Written: true}
	for _, path := range paths {
		o.say("restored %s", path)
		r.Files = append(r.Files, changedFile{Path: path})
		if filepath.Base(path) == config.FileName {
			if err := o.reloadUsers(ctx, path); err != nil {
				o.warn("%v", err)
			}
		}
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, r)
	}
	return nil
}

func (o *changeOptions) backups() (clients.Backups, error) {
	data, err := config.DataDir(o.host.ConfigOptions(false))
	return clients.Backups{Folder: filepath.Join(data, "backups"), Now: time.Now}, err
}

// places are where the files of clients are for this user and folder.
func (o *changeOptions) places() (clients.Places, error) {
	variable := "HOME"
	if runtime.GOOS == "windows" {
		variable = "USERPROFILE"
	}
	home := o.getenv(variable)
	if !filepath.IsAbs(home) {
		return clients.Places{}, fmt.Errorf("the home folder is unknown: %s is not an absolute path", variable)
	}
	work := resolvedPath(o.Dir)
	home = resolvedPath(home)
	return clients.Places{Home: home, Project: clients.ProjectRoot(work, home), System: runtime.GOOS, Lookup: o.lookupEnv}, nil
}

func resolvedPath(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// targets are the files of toolscript that servers are written to.
func (o *changeOptions) targets(places clients.Places) (clients.Targets, error) {
	files, err := config.Locate(o.host.ConfigOptions(false))
	if err != nil {
		return clients.Targets{}, err
	}
	if len(files) > 0 && files[0].Named {
		if len(files) > 1 {
			return clients.Targets{}, errors.New("--config or TOOLSCRIPT_CONFIG names several files; name the one to write to")
		}
		return clients.Targets{User: clients.File{Path: files[0].Path, Root: filepath.Dir(files[0].Path)}}, nil
	}
	t := clients.Targets{User: clients.File{Path: filepath.Join(places.Home, config.FileName), Root: places.Home}}
	if places.Project != "" {
		t.Project = clients.File{Path: filepath.Join(places.Project, config.FileName), Root: places.Project, Project: true}
	}
	return t, nil
}

// ownEntry is how a client starts this program. An editor has another PATH than the
// shell, so the user's own files get the path of the program; those of a project are
// for every machine.
func (o *changeOptions) ownEntry(project bool) (clients.Entry, error) {
	args := []string{"mcp"}
	if o.configs != "" && o.getenv("TOOLSCRIPT_CONFIG") != o.configs {
		var paths []string
		for path := range strings.SplitSeq(o.configs, ",") {
			paths = append(paths, o.absolute(strings.TrimSpace(path)))
		}
		args = append(args, "--config", strings.Join(paths, ","))
	}
	if project {
		return clients.Entry{Command: "toolscript", Args: args}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return clients.Entry{}, fmt.Errorf("the path of this program is unknown: %w", err)
	}
	if strings.Contains(filepath.ToSlash(self), "/_npx/") { // npm deletes that folder some day
		args = append([]string{"-y", "toolscript"}, args...)
		if runtime.GOOS == "windows" {
			return clients.Entry{Command: "cmd", Args: append([]string{"/c", "npx"}, args...)}, nil
		}
		return clients.Entry{Command: "npx", Args: args}, nil
	}
	return clients.Entry{Command: o.installed(self), Args: args}, nil
}

// installed is the path by which PATH leads to this program: a package manager may
// keep each version in a folder of its own. It is self if PATH does not.
func (o *changeOptions) installed(self string) string {
	own, err := os.Stat(self)
	if err != nil {
		return self
	}
	name := "toolscript"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, folder := range filepath.SplitList(o.getenv("PATH")) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); filepath.IsAbs(path) && err == nil && os.SameFile(own, info) {
			return path
		}
	}
	return self
}
