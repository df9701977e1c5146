package cli

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/toolscript/toolscript"
)

// newMan is for packages, which contain the man pages.
func newMan(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the man pages of all commands into a folder",
		Hidden: true,
		Args:   takes("FOLDER"),
		RunE: func(c *cobra.Command, args []string) error {
			folder := a.absolute(args[0])
			if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // for all users
				return err
			}
			c.Root().DisableAutoGenTag = true // no line about the generator
			return doc.GenManTree(c.Root(), &doc.GenManHeader{Section: "1", Source: "toolscript " + toolscript.Version, Manual: "toolscript"}, folder)
		},
	}
}
