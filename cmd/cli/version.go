package cli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type versionOptions struct {
	*app.App
	form  terminal.Form
	check bool
}

const releases = "https://github.com/toolscript/toolscript/releases"

func newVersion(a *app.App) *cobra.Command {
	o := &versionOptions{App: a}
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version. --check adds where newer versions are listed and the command that
updates this one. toolscript asks no server for newer versions.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	terminal.AddForm(c.Flags(), &o.form, "print it as JSON, with the number of the HTTP protocol")
	c.Flags().BoolVar(&o.check, "check", false, "say where newer versions are listed; no network is used")
	return c
}

func (o *versionOptions) run(context.Context) error {
	v := versionInfo{Version: toolscript.Version, Protocol: toolscript.Protocol, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if o.check {
		v.Releases = releases
		if path, err := os.Executable(); err == nil {
			v.Update = updateCommand(path)
		}
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, v)
	}
	if err := o.Print("toolscript %s", v.Version); err != nil || !o.check {
		return err
	}
	if err := o.Print("Newer versions are listed at %s; this command does not look there.", v.Releases); err != nil || v.Update == "" {
		return err
	}
	return o.Print("To update, run: %s", v.Update)
}

// versionInfo is the output of version with --json.
type versionInfo struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Releases string `json:"releases,omitempty"` // with --check: where newer versions are listed
	Update   string `json:"update,omitempty"`   // with --check: the command that updates, if it is known
}

// updateCommand returns the command that updates the program at a path; "" if the program was not installed
// by a known tool.
func updateCommand(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	path = filepath.ToSlash(path)
	switch {
	case strings.Contains(path, "/_npx/"):
		return "npx toolscript@latest"
	case strings.Contains(path, "/node_modules/@toolscript/"):
		return "npm install -g toolscript@latest"
	case strings.Contains(path, "/Cellar/toolscript/"):
		return "brew upgrade toolscript"
	default:
		return ""
	}
}
