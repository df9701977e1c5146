package cli

import "github.com/spf13/cobra"

func newGateway(a *app) *cobra.Command {
	return group("gateway", "Run a gateway, or find those that run", newGatewayStart(a), newGatewayReload(a), newGatewayStatus(a), newGatewayList(a))
}
