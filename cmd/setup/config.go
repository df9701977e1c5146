package setup

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/upstream"
)

// NewConfig returns the command config.
func NewConfig(a *app.App) *cobra.Command {
	return app.Group("config", "Check the configuration, or import servers into it", newConfigValidate(a), newConfigSchema(a), newConfigImport(a))
}

func newConfigSchema(a *app.App) *cobra.Command {
	var out terminal.Form
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of .toolscript.json",
		Args:  app.Takes(),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Stdout.Write(config.Schema())
			return err
		},
	}
	terminal.AddForm(c.Flags(), &out, "print it as JSON, which is the default")
	return c
}

type validateOptions struct {
	*app.App
	form terminal.Form
}

func newConfigValidate(a *app.App) *cobra.Command {
	o := &validateOptions{App: a}
	c := &cobra.Command{
		Use:   "validate [FILE...]",
		Short: "Find the mistakes of configuration files",
		Long: `Find the mistakes of configuration files: of the given files, else of the files
that commands in this folder use. No server is started, and trust is not needed.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Host.Config.Config = strings.Join(args, ",")
			}
			return o.run()
		},
	}
	terminal.AddForm(c.Flags(), &o.form, "print the findings as JSON")
	return c
}

// Verdict is the result of the validation.
type Verdict struct {
	OK       bool            `json:"ok"`
	Files    []config.File   `json:"files"`
	Servers  []serverVerdict `json:"servers"`
	Warnings []string        `json:"warnings"`
	Mistakes config.Mistakes `json:"mistakes"`
}

type serverVerdict struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`
	Problem string `json:"problem,omitempty"` // why the server would not be started

	misconfigured bool // Problem is one of the mistakes
}

func (o *validateOptions) run() error {
	v, err := o.checkFiles()
	if err != nil {
		return err
	}
	if o.form.Structured() {
		err = o.form.Write(o.Stdout, v)
	} else {
		err = o.tell(v)
	}
	if err == nil && !v.OK {
		return &app.Error{Code: app.Failure}
	}
	return err
}

// checkFiles loads the files as if they were trusted. It returns an error if a file cannot be
// read; mistakes in a file are part of the verdict.
func (o *validateOptions) checkFiles() (Verdict, error) {
	v := Verdict{OK: true, Files: []config.File{}, Servers: []serverVerdict{}, Warnings: []string{}, Mistakes: config.Mistakes{}}
	all, trusted := o.Host.ConfigOptions(true), o.Host.ConfigOptions(false)
	all.Missing, trusted.Missing = true, true
	all.NoValues, trusted.NoValues = true, true
	loaded, err := config.Load(all)
	if errors.As(err, &v.Mistakes) {
		v.OK = false
		v.Files, err = config.Locate(o.Host.ConfigOptions(false))
		return v, err
	}
	if err != nil {
		return v, err
	}
	known, err := config.Load(trusted) // with the trust that the user has given
	if err != nil {
		return v, err
	}
	v.Files = append(v.Files, known.Files...)
	v.Mistakes = append(v.Mistakes, loaded.Mistakes...)
	v.OK = len(v.Mistakes) == 0 && !slices.ContainsFunc(v.Files, missed)
	v.Warnings = append(v.Warnings, loaded.Warnings...)
	if lowered := actors.LoweredLimits(loaded.Settings.Limits); lowered != "" {
		v.Warnings = append(v.Warnings, "limits: "+lowered)
	}
	for _, name := range slices.Sorted(maps.Keys(loaded.Servers)) {
		v.Servers = append(v.Servers, checkServerConfig(name, loaded.Servers[name]))
	}
	return v, nil
}

// missed reports whether the user named a file that does not exist.
func missed(f config.File) bool { return f.Named && !f.Found }

func checkServerConfig(name string, c upstream.Config) serverVerdict {
	s := serverVerdict{Name: name, Type: c.Type}
	if c.Problem != nil {
		s.Problem = c.Problem.Error()
		s.misconfigured = errors.As(c.Problem, new(*config.Misconfigured))
	}
	return s
}

// tell prints valid files on stdout and problems on stderr.
func (o *validateOptions) tell(v Verdict) error {
	for _, warning := range v.Warnings {
		o.Warn("%s", warning)
	}
	for _, s := range v.Servers {
		if s.Problem != "" && !s.misconfigured {
			o.Warn("server %s would not be started: %s", s.Name, s.Problem)
		}
	}
	if len(v.Mistakes) > 0 {
		o.Say("%v", v.Mistakes)
		return nil
	}
	for _, f := range v.Files {
		state := "valid"
		if !f.Found {
			state = "missing"
		}
		if err := o.Print("%s: %s", f.Path, state); err != nil {
			return err
		}
	}
	if v.OK && !slices.ContainsFunc(v.Files, func(f config.File) bool { return f.Found }) {
		o.Say("no servers are configured; %s", config.AddServers)
	}
	return nil
}
