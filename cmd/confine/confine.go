package confine

import (
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
)

// New returns the command confine.
func New(a *app.App) *cobra.Command {
	return app.Group("confine", "Confine servers to what they need", newConfineSuggest(a))
}
