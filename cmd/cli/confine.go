package cli

import "github.com/spf13/cobra"

func newConfine(a *App) *cobra.Command {
	return group("confine", "Confine servers to what they need", newConfineSuggest(a))
}
