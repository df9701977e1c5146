package hub

import (
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
)

// NewFleet makes the commands for fleets.
func NewFleet(a *app.App) *cobra.Command {
	c := app.Group("fleet", "Print the permissions of the clients of a fleet", newFleetPermissions(a))
	c.Long = `Print the permissions that the clients of the fleet of the configuration need in the NATS
cluster. toolscript status fleet shows the fleet.

A fleet is a NATS cluster whose hubs offer MCP servers, and sandboxes for scripts, to gateways
on other machines. See docs/fleet.md.`
	return c
}
