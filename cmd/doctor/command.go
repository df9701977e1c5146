package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type doctorOptions struct {
	*app.App
	probe bool
	trust bool
	form  terminal.Form
}

// New returns the command doctor.
func New(a *app.App) *cobra.Command {
	o := &doctorOptions{App: a}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Examine the installation, and say how to repair it",
		Long: `Examine the installation, and say how to repair it.

doctor examines the configuration and its variables, the programs, logins and keyring of
the servers, the hubs of the fleet, running gateways and the entries of old ones, the port,
the permissions of files, the search model, Deno, the Claude Code plugin and its permission
rules, and the processes that check and run scripts with everything that confines them.

Each finding has the command or the change that mends it. The exit code is 1 if something
is broken, and 0 if there are only warnings.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.probe, "probe", false, "start or connect to every server, and open the search model")
	app.AddTrust(c.Flags(), &o.trust)
	terminal.AddForm(c.Flags(), &o.form, "print it as JSON")
	return c
}

func (o *doctorOptions) run(ctx context.Context) error {
	options, err := o.examined()
	if err != nil {
		return err
	}
	over := o.Waiting("examining")
	found := Examine(ctx, options)
	over()
	for i, f := range found.Findings {
		found.Findings[i].Problem, found.Findings[i].Fix = o.Again(f.Problem), o.Again(f.Fix)
	}
	if o.form.Structured() {
		err = o.form.Write(o.Stdout, found)
	} else {
		err = o.write(found)
	}
	if err == nil && !found.OK {
		return &app.Error{Code: app.Failure}
	}
	return err
}

// examined returns the environment of this command, for the checks of the doctor.
func (o *doctorOptions) examined() (Options, error) {
	places, err := o.Target.Places()
	if err != nil {
		return Options{}, err
	}
	url := ""
	if o.Target.URL != "" {
		if url, err = o.Target.Complete(o.Target.URL); err != nil {
			return Options{}, err
		}
	}
	return Options{
		Host: o.Host, Env: o.Env, Runtime: places, Home: cmp.Or(o.Getenv("HOME"), o.Getenv("USERPROFILE")), URL: url, Port: o.Getenv("TOOLSCRIPT_PORT"),
		Trust: o.trust, Probe: o.probe,
	}, nil
}

// write prints the report as text: first the facts, then the findings.
func (o *doctorOptions) write(r *Report) error {
	var b strings.Builder
	platform := r.Platform
	if r.Kernel != "" {
		platform += " (kernel " + r.Kernel + ")"
	}
	fmt.Fprintf(&b, "toolscript  %s, protocol %d, %s, %s\n", r.Version, r.Protocol, r.Go, platform)
	fmt.Fprintf(&b, "engine      %s\n", r.Engine)
	fmt.Fprintf(&b, "cache       %s: %d files, %.1f MB\n", terminal.Visible(r.Cache.Folder), r.Cache.Files, float64(r.Cache.Bytes)/(1<<20))
	files := "none"
	if len(r.Files) > 0 {
		files = strings.Join(r.Files, ", ")
	}
	fmt.Fprintf(&b, "files       %s\n", terminal.Visible(files))
	writeServers(&b, r.Servers)
	for _, g := range r.Gateways {
		fmt.Fprintf(&b, "gateway     %s, PID %d, toolscript %s\n", terminal.Visible(g.URL), g.PID, terminal.Visible(g.Version))
	}
	if r.Deno.Available {
		fmt.Fprintf(&b, "deno        %s at %s\n", terminal.Visible(r.Deno.Version), terminal.Visible(r.Deno.Path))
	} else {
		fmt.Fprintf(&b, "deno        missing: %s\n", terminal.Visible(r.Deno.Reason))
	}
	for _, worker := range r.Workers {
		writeWorker(&b, worker)
	}
	b.WriteString("confine     what holds for servers with \"confine\" on this machine:\n")
	writeParts(&b, r.Confine)
	b.WriteString(pluginText(r.Plugin))
	facts := fitted(b.String(), terminal.Columns(o.Stdout))
	b.Reset()
	o.writeFindings(&b, r.Findings)
	_, err := io.WriteString(o.Stdout, facts+b.String())
	return err
}

// fitted wraps the lines of a text to width columns; 0 means no limit. The rest of a wrapped line begins
// below its last column.
func fitted(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if width > 0 && terminal.Width(line) > width {
			at := strings.LastIndex(line, "  ") + 2
			line = line[:at] + strings.Join(terminal.Wrap(line[at:], width-at), "\n"+strings.Repeat(" ", at))
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func writeServers(b *strings.Builder, servers []ServerFound) {
	var names []string
	for _, s := range servers {
		name := s.Name
		if s.State != "" {
			name += fmt.Sprintf(" (%s, %d tools)", s.State, s.Tools)
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "servers     %s\n", terminal.Visible(strings.Join(names, ", ")))
	}
}

func writeWorker(b *strings.Builder, worker Worker) {
	if worker.Error != "" {
		fmt.Fprintf(b, "%-11s does not start\n", worker.Role)
		return
	}
	fmt.Fprintf(b, "%-11s ready in %.0f ms, %.0f MB, confined by:\n", worker.Role, worker.StartMs, worker.MemoryMB)
	writeParts(b, worker.Confinement)
}

// writeParts prints which parts of a confinement are active.
func writeParts(b *strings.Builder, parts []toolscript.Confinement) {
	for _, part := range parts {
		state := "yes"
		if !part.Active {
			state = "NO"
		}
		fmt.Fprintf(b, "  %-14s %-4s %s\n", part.Name, state, part.Detail)
	}
}

func pluginText(p Plugin) string {
	state := "allows safe commands of the agent"
	switch {
	case p.Error != "":
		state = "asks for each command, because " + terminal.Visible(p.Error)
	case !p.AutoAllow:
		state = "asks for each command (plugin.autoAllow in ~/" + config.FileName + ")"
	}
	installed := "not installed; it"
	if p.Installed {
		installed = "version " + terminal.Visible(p.Version) + ";"
	}
	return fmt.Sprintf("plugin      %s %s; by hand, in permissions.allow of Claude Code's settings: \"%s\"\n", installed, state, strings.Join(p.Rules, `", "`))
}

// writeFindings writes each finding, and below it the way to fix it.
func (o *doctorOptions) writeFindings(b *strings.Builder, findings []Finding) {
	if len(findings) == 0 {
		b.WriteString("\nNothing is wrong.\n")
		return
	}
	b.WriteByte('\n')
	for _, f := range findings {
		WriteProblem(o.App, b, f.Level, f.Subject, f.Problem, f.Fix)
	}
}

// programs are the programs of commands that fix a problem. Such a command stays on one line, to be copied.
var programs = []string{"toolscript", "chmod", "unset", "claude"}

func fixLines(fix string, width int) []string {
	if name, _, _ := strings.Cut(fix, " "); slices.Contains(programs, name) {
		return []string{fix}
	}
	return terminal.Wrap(fix, width)
}

// WriteProblem writes a problem, wrapped for a terminal, and below it the way to fix it.
func WriteProblem(a *app.App, b *strings.Builder, level, subject, problem, fix string) {
	width := terminal.Columns(a.Stdout)
	colour, end := "", ""
	if a.Coloured(a.Stdout) {
		colour, end = "\x1b[33m", "\x1b[0m"
		if level == Broken {
			colour = "\x1b[31m"
		}
	}
	for i, line := range terminal.Wrap(terminal.OneLine(level+": "+subject+": "+problem), width-2) {
		if i > 0 {
			line = "  " + line
		} else {
			line = colour + level + end + strings.TrimPrefix(line, level)
		}
		b.WriteString(line + "\n")
	}
	if fix != "" {
		b.WriteString("  → " + strings.Join(fixLines(terminal.OneLine(fix), width-4), "\n    ") + "\n")
	}
}
