package hub

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/remote"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// Role is what a client of the NATS cluster does in a fleet.
type Role string

// The roles.
const (
	RoleGateway  Role = "gateway"  // uses servers and runners
	RoleHub      Role = "hub"      // offers servers
	RoleRunner   Role = "runner"   // runs scripts of gateways
	RoleOperator Role = "operator" // sees what the fleet offers
)

// Roles returns all roles.
func Roles() []Role { return []Role{RoleGateway, RoleHub, RoleRunner, RoleOperator} }

// Permissions are the subjects that a client of the NATS cluster may use.
type Permissions struct {
	Publish, Subscribe []string
	Respond            bool // it may answer requests at their reply subjects
}

// anyServer stands for all servers in subjects.
const anyServer = "*"

// PermissionsOf returns the permissions that a client with these roles needs. user is the
// name of a gateway in subjects; "" is the default. servers are those that a gateway uses
// or a hub offers; an empty list means all.
func PermissionsOf(roles []Role, user string, servers []string) (p Permissions, err error) {
	user = cmp.Or(user, cluster.DefaultUser)
	if len(servers) == 0 {
		servers = []string{anyServer}
	}
	for _, name := range append([]string{user}, servers...) {
		if name != anyServer && !wire.ValidName(name) {
			return p, invalid("%q cannot be a name in a fleet: names have at most 64 letters of ASCII, digits, hyphens and underscores", name)
		}
	}
	for _, role := range roles {
		switch role {
		case RoleGateway:
			p.gateway(user, servers)
		case RoleHub:
			p.hub(servers)
		case RoleRunner:
			p.runner()
		case RoleOperator:
			p.operator()
		default:
			return p, invalid("there is no role %q; the roles are %s", role, joinRoles(Roles()))
		}
	}
	slices.Sort(p.Publish)
	slices.Sort(p.Subscribe)
	p.Publish, p.Subscribe = slices.Compact(p.Publish), slices.Compact(p.Subscribe)
	return p, nil
}

func joinRoles(all []Role) string {
	names := make([]string, len(all))
	for i, role := range all {
		names[i] = string(role)
	}
	return strings.Join(names, ", ")
}

func invalid(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(format, args...)}
}

// services is the subject of statistics requests to all micro services; a suffix selects one.
const services = "$SRV.STATS"

// inboxes are the reply subjects of clients without their own inbox. Gateways have their own.
const inboxes = "_INBOX.>"

func (p *Permissions) gateway(user string, servers []string) {
	names := wire.FleetNames(user, "*")
	p.Publish = append(p.Publish, names.Hub("*", "*"), services, services+".*")
	for _, s := range servers {
		p.Publish = append(p.Publish, names.Server(s, "*", "*"))
		p.Subscribe = append(p.Subscribe, wire.FleetCatalog(s))
	}
	p.Subscribe = append(p.Subscribe, names.Inbox()+">")
	publish, subscribe := remote.GatewaySubjects(user)
	p.Publish, p.Subscribe = append(p.Publish, publish...), append(p.Subscribe, subscribe...)
}

func (p *Permissions) hub(servers []string) {
	p.Respond = true
	control := wire.FleetControl("*")
	p.Publish = append(p.Publish, wire.FleetNames("*", "*").Inbox()+">", services, control)
	p.Subscribe = append(p.Subscribe, "$SRV.>", inboxes, wire.FleetHub("*"), control)
	for _, s := range servers {
		p.Publish = append(p.Publish, wire.FleetCatalog(s))
		p.Subscribe = append(p.Subscribe, wire.FleetServer(s, "*", "*"))
		publish, subscribe := cluster.LeaseSubjects(cluster.DefaultBucket, s)
		p.Publish, p.Subscribe = append(p.Publish, publish...), append(p.Subscribe, subscribe...)
		publish, _ = cluster.LeaseSubjects(host.KeysBucket, s+".*")
		p.Publish = append(p.Publish, publish...)
	}
}

func (p *Permissions) runner() {
	p.Respond = true
	publish, subscribe := remote.RunnerSubjects()
	p.Publish, p.Subscribe = append(p.Publish, publish...), append(p.Subscribe, append(subscribe, "$SRV.>")...)
}

func (p *Permissions) operator() {
	p.Publish = append(p.Publish, services, services+".*")
	p.Subscribe = append(p.Subscribe, inboxes)
}

// Bounds of the answers to one request: all servers of a hub answer a request for statistics.
const (
	responses    = 1000
	responseTime = "1m"
)

// Client is a user of the NATS servers.
type Client struct {
	User    string // user name; for a gateway also its name in subjects
	Roles   []Role
	Servers []string // see PermissionsOf
	NKey    string   // public key of the user; "": the user has a password
}

// ParseClient parses USER=ROLE[,ROLE][:SERVER,...].
func ParseClient(word string) (c Client, err error) {
	user, rest, ok := strings.Cut(word, "=")
	if !ok || user == "" || rest == "" {
		return c, invalid("%q is no client; write USER=ROLE, such as alice=gateway:github", word)
	}
	roles, servers, named := strings.Cut(rest, ":")
	c = Client{User: user, Roles: ParseRoles(strings.Split(roles, ","))}
	if named {
		c.Servers = strings.Split(servers, ",")
	}
	return c, nil
}

// ParseRoles converts names to roles, without checking them; PermissionsOf does.
func ParseRoles(words []string) (roles []Role) {
	for _, r := range words {
		roles = append(roles, Role(r))
	}
	return roles
}

// Variable returns the name of the environment variable from which the NATS server reads the password.
func (c Client) Variable() string {
	return "TOOLSCRIPT_FLEET_PASSWORD_" + strings.ToUpper(strings.ReplaceAll(c.User, "-", "_"))
}

// Configuration returns an account with these users, for the configuration of a NATS
// server. A file can have only one account of this name: a second one would replace it.
func Configuration(clients []Client) (string, error) {
	var b strings.Builder
	b.WriteString("accounts {\n  toolscript {\n")
	if slices.ContainsFunc(clients, func(c Client) bool { return slices.Contains(c.Roles, RoleHub) }) {
		b.WriteString("    jetstream: enabled  # for servers with one owner\n")
	}
	b.WriteString("    users: [\n")
	known := map[string]string{}
	for _, c := range clients {
		p, err := PermissionsOf(c.Roles, c.User, c.Servers)
		if err != nil {
			return "", err
		}
		if other, taken := known[c.Variable()]; taken {
			return "", invalid("the users %s and %s would have one variable for their passwords, %s; rename one of them", other, c.User, c.Variable())
		}
		known[c.Variable()] = c.User
		c.write(&b, p)
	}
	b.WriteString("    ]\n  }\n}")
	return b.String(), nil
}

func (c Client) write(b *strings.Builder, p Permissions) {
	b.WriteString("      {\n")
	if c.NKey != "" {
		fmt.Fprintf(b, "        nkey: %s\n", c.NKey)
	} else {
		fmt.Fprintf(b, "        user: %q, password: $%s\n", c.User, c.Variable())
	}
	b.WriteString("        permissions {\n")
	list(b, "publish", p.Publish)
	list(b, "subscribe", p.Subscribe)
	if p.Respond {
		fmt.Fprintf(b, "          allow_responses: {max: %d, expires: %q}\n", responses, responseTime)
	}
	b.WriteString("        }\n      }\n")
}

func list(b *strings.Builder, what string, subjects []string) {
	fmt.Fprintf(b, "          %s: {allow: [\n", what)
	for _, s := range subjects {
		fmt.Fprintf(b, "            %q\n", s)
	}
	b.WriteString("          ]}\n")
}

// Command returns the nsc command that creates a user with the permissions, for accounts with JWT.
func (p Permissions) Command(user string) string {
	c := fmt.Sprintf("nsc add user --name %s --allow-pub '%s' --allow-sub '%s'", user, strings.Join(p.Publish, ","), strings.Join(p.Subscribe, ","))
	if p.Respond {
		c += fmt.Sprintf(" --allow-pub-response=%d --response-ttl %s", responses, responseTime)
	}
	return c
}
