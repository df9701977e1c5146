package cli

import (
	"cmp"
	"errors"
	"slices"

	"github.com/nats-io/nkeys"
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/fleet"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

type fleetPermissionsOptions struct {
	*app
	roles, servers []string
	user, nkey     string
	nsc            bool
}

func newFleetPermissions(a *app) *cobra.Command {
	o := &fleetPermissionsOptions{app: a}
	c := &cobra.Command{
		Use:   "permissions --role ROLE",
		Short: "Print the permissions of a client of the fleet for the NATS servers",
		Long: `Print an account with one user for the configuration of the NATS servers, or a command of nsc.
The user may do what its roles need, and nothing else:

  gateway   use the servers of --server, and runners
  hub       offer the servers of --server
  runner    run scripts of gateways
  operator  see what the fleet offers: toolscript fleet status`,
		Example: `  toolscript fleet permissions --role gateway --user alice --server github
  toolscript fleet permissions --role hub,runner --nkey UABC…
  toolscript fleet permissions --role operator --nsc`,
		Args: takes(),
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	f := c.Flags()
	f.StringSliceVar(&o.roles, "role", nil, "`ROLE` of the client; several are separated by commas")
	f.StringSliceVar(&o.servers, "server", nil, "`NAME` of a server that it uses or offers; default: all")
	f.StringVar(&o.user, "user", "", `name of the client; for a gateway it must be "user" of its "fleet" (default "gateway")`)
	f.StringVar(&o.nkey, "nkey", "", "public `KEY` of the client, instead of a password")
	f.BoolVar(&o.nsc, "nsc", false, "print a command of nsc, for users with JWT")
	return c
}

func (o *fleetPermissionsOptions) run() error {
	if len(o.roles) == 0 {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("--role is missing: gateway, hub, runner or operator")}
	}
	if o.nkey != "" && !nkeys.IsValidPublicUserKey(o.nkey) {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("--nkey takes the public key of a user, which begins with U; print one with: nk -gen user -pubout")}
	}
	var roles []fleet.Role
	for _, r := range o.roles {
		roles = append(roles, fleet.Role(r))
	}
	p, err := fleet.PermissionsOf(roles, o.user, o.servers)
	if err != nil {
		return err
	}
	user := cmp.Or(o.user, cluster.DefaultUser)
	if o.user == "" && !slices.Contains(roles, fleet.RoleGateway) {
		user = o.roles[0]
	}
	if o.nsc {
		return o.print("%s", p.Command(user))
	}
	return o.print("%s", p.Configuration(user, o.nkey, slices.Contains(roles, fleet.RoleHub)))
}
