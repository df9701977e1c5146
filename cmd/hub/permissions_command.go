package hub

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

type fleetPermissionsOptions struct {
	*app.App
	roles, servers []string
	user           string
	nkeys          []string
	nsc            bool
}

func newFleetPermissions(a *app.App) *cobra.Command {
	o := &fleetPermissionsOptions{App: a}
	c := &cobra.Command{
		Use:   "permissions (--role ROLE | USER=ROLE[,ROLE][:SERVER,...]...)",
		Short: "Print the permissions of clients of the fleet for the NATS servers",
		Long: `Print an account for the configuration of the NATS servers, or commands of nsc. Name all
clients in one call: a second account of the same name in a configuration would replace the
first one. A user may do what its roles need, and nothing else:

  gateway   use the servers that are named, by default all, and runners
  hub       offer the servers that are named, by default all
  runner    run scripts of gateways
  operator  see what the fleet offers: toolscript status fleet

Each password is a variable of the environment of the NATS servers: TOOLSCRIPT_FLEET_PASSWORD_
and the name of the user in capital letters. The client writes user and password to "url" of
its "fleet": "nats://alice:${FLEET_PASSWORD}@HOST:4222".`,
		Example: `  toolscript fleet permissions hub=hub,runner alice=gateway:github,notes bob=gateway ops=operator > fleet.conf
  toolscript fleet permissions --role gateway --user alice --server github
  toolscript fleet permissions --role hub,runner --nkey UABC…
  toolscript fleet permissions --role operator --nsc`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, clients []string) error { return o.run(clients) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.roles, "role", nil, "`ROLE` of the client; several are separated by commas")
	f.StringSliceVar(&o.servers, "server", nil, "`NAME` of a server that it uses or offers; default: all")
	f.StringVar(&o.user, "user", "", `name of the client; for a gateway it must be "user" of its "fleet" (default "gateway")`)
	f.StringSliceVar(&o.nkeys, "nkey", nil, "public `KEY` of the client, instead of a password; USER=KEY for one of several clients")
	f.BoolVar(&o.nsc, "nsc", false, "print commands of nsc, for users with JWT")
	return c
}

func (o *fleetPermissionsOptions) run(words []string) error {
	clients, err := o.clients(words)
	if err != nil {
		return err
	}
	if !o.nsc {
		account, err := Configuration(clients)
		if err != nil {
			return err
		}
		return o.Print("%s", account)
	}
	for _, c := range clients {
		p, err := PermissionsOf(c.Roles, c.User, c.Servers)
		if err != nil {
			return err
		}
		if err := o.Print("%s", p.Command(c.User)); err != nil {
			return err
		}
	}
	return nil
}

// clients returns the clients of the words; without words, the one client of the flags.
func (o *fleetPermissionsOptions) clients(words []string) (all []Client, err error) {
	if len(words) > 0 && (len(o.roles) > 0 || len(o.servers) > 0 || o.user != "") {
		return nil, invalid("--role, --server and --user are for one client; write all clients as USER=ROLE:SERVER, or use only flags")
	}
	for _, word := range words {
		c, err := ParseClient(word)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(words) == 0 {
		if len(o.roles) == 0 {
			return nil, invalid("--role is missing: gateway, hub, runner or operator")
		}
		c := Client{User: cmp.Or(o.user, cluster.DefaultUser), Roles: ParseRoles(o.roles), Servers: o.servers}
		if o.user == "" && !slices.Contains(c.Roles, RoleGateway) {
			c.User = o.roles[0]
		}
		all = append(all, c)
	}
	for _, word := range o.nkeys {
		if err := addKey(all, word); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addKey adds the key in a value of --nkey to its client.
func addKey(clients []Client, word string) error {
	user, key, ok := strings.Cut(word, "=")
	if !ok {
		user, key = clients[0].User, word
		if len(clients) > 1 {
			return invalid("--nkey does not say whose key it is; write --nkey USER=KEY")
		}
	}
	if !nkeys.IsValidPublicUserKey(key) {
		return invalid("--nkey takes the public key of a user, which begins with U; print one with: nk -gen user -pubout")
	}
	i := slices.IndexFunc(clients, func(c Client) bool { return c.User == user })
	if i < 0 {
		return invalid("--nkey names the client %q, which is not one of the clients", user)
	}
	clients[i].NKey = key
	return nil
}

// NewFleet makes the commands for fleets.
func NewFleet(a *app.App) *cobra.Command {
	c := app.Group("fleet", "Print the permissions of the clients of a fleet", newFleetPermissions(a))
	c.Long = `Print the permissions that the clients of the fleet of the configuration need in the NATS
cluster. toolscript status fleet shows the fleet.

A fleet is a NATS cluster whose hubs offer MCP servers, and sandboxes for scripts, to gateways
on other machines. See docs/fleet.md.`
	return c
}
