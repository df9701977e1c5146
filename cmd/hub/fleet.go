package hub

import (
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
)

// NewFleet makes the commands for fleets.
func NewFleet(a *app.App) *cobra.Command {
	c := app.Group("fleet", "Show the fleet, and print the permissions of its clients", newFleetStatus(a), newFleetPermissions(a))
	c.Long = `Show the fleet of the configuration, and print the permissions that its clients need in the
NATS cluster.

A fleet is a NATS cluster whose hubs offer MCP servers, and sandboxes for scripts, to gateways
on other machines. See docs/fleet.md.`
	return c
}
