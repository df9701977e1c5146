package cli

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
)

type versionOptions struct {
	*app
	form form
}

func newVersion(a *app) *cobra.Command {
	o := &versionOptions{app: a}
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	addForm(c.Flags(), &o.form, "print it as JSON, with the number of the HTTP protocol")
	return c
}

func (o *versionOptions) run(context.Context) error {
	if !o.form.structured() {
		return o.print("toolscript %s", toolscript.Version)
	}
	return o.form.write(o.Stdout, struct {
		Version  string `json:"version"`
		Protocol int    `json:"protocol"`
		Go       string `json:"go"`
		Platform string `json:"platform"`
	}{toolscript.Version, toolscript.Protocol, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
}
