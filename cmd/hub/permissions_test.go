package hub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/remote"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/test/kit"
	shared "github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/upstream"
)

// asServer is the argument that makes the test binary an MCP server.
const asServer = "be-a-server"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asServer {
		os.Exit(mcpserver.Main())
	}
	os.Exit(m.Run())
}

const password = "secret"

// user is a user of the NATS server with the permissions that the command prints.
type user struct {
	name    string
	roles   []hub.Role
	servers []string
	nkey    string
}

// startNATS starts a NATS server with the printed account and returns its address.
func startNATS(t *testing.T, users ...user) string {
	t.Helper()
	dir := t.TempDir()
	var clients []hub.Client
	for _, u := range users {
		c := hub.Client{User: u.name, Roles: u.roles, Servers: u.servers, NKey: u.nkey}
		t.Setenv(c.Variable(), password)
		clients = append(clients, c)
	}
	account, err := hub.Configuration(clients)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "nats.conf")
	config := "host: 127.0.0.1\nport: -1\njetstream {store_dir: \"" + dir + "\"}\n" + account + "\n"
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := natsserver.ProcessConfigFile(path)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, config)
	}
	return natstest.Start(t, o).Addr().String()
}

// as returns the login of a user at a NATS server.
func as(address, name string) cluster.Address {
	return cluster.Address{URL: "nats://" + name + ":" + password + "@" + address, User: name}
}

// join starts a hub that offers servers, and returns when it has joined the fleet.
func join(t *testing.T, at cluster.Address, stateless bool, names ...string) error {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	system, err := actors.Start(actors.Options{ServersOnly: true, Dial: upstream.Host{}.Dial()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := system.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	o := host.FleetOptions{Address: at, Host: "there", Version: "test", Servers: system}
	for _, name := range names {
		o.Offers = append(o.Offers, host.Offer{Name: name, Stateless: stateless, Config: upstream.Config{Type: upstream.Stdio, Command: self, Args: []string{asServer, "asks"}}})
	}
	f, err := host.Join(kit.Within(t), o)
	if err != nil {
		return err
	}
	t.Cleanup(f.Close)
	return nil
}

// call makes one call as a gateway.
func call(t *testing.T, at cluster.Address, name string) error {
	t.Helper()
	_, err := callWith(t, at, name, "")
	return err
}

// callTwice makes two calls with the same key, and compares the answers.
func callTwice(t *testing.T, at cluster.Address, name string) error {
	t.Helper()
	first, err := callWith(t, at, name, "key-of-"+name)
	if err != nil {
		return err
	}
	second, err := callWith(t, at, name, "key-of-"+name)
	if err == nil && !bytes.Equal(first, second) {
		return fmt.Errorf("the answers are %s and %s", first, second)
	}
	return err
}

func callWith(t *testing.T, at cluster.Address, name, key string) (result json.RawMessage, err error) {
	t.Helper()
	f := shared.NewFleet(shared.FleetOptions{Address: func() cluster.Address { return at }})
	t.Cleanup(f.Close)
	c, err := f.Dial(kit.Within(t), name, upstream.Config{}, upstream.Events{})
	if err != nil {
		return nil, err
	}
	if _, err := c.ListTools(kit.Within(t)); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	c.Start(upstream.ToolCall{Ctx: kit.Within(t), Tool: "bump", Key: key, Args: json.RawMessage(`{}`), Done: func(r json.RawMessage, failed error) {
		result, err = r, failed
		close(done)
	}})
	<-done
	return result, err
}

// TestPermissions loads the printed permissions into a NATS server, and checks what each role
// can and cannot do with them.
func TestPermissions(t *testing.T) {
	address := startNATS(
		t, user{name: "hub", roles: []hub.Role{hub.RoleHub}, servers: []string{"github", "jira", "notes"}},
		user{name: "alice", roles: []hub.Role{hub.RoleGateway}, servers: []string{"github", "notes"}},
		user{name: "bob", roles: []hub.Role{hub.RoleGateway}},
		user{name: "runner", roles: []hub.Role{hub.RoleRunner}},
		user{name: "operator", roles: []hub.Role{hub.RoleOperator}},
	)
	if err := join(t, as(address, "hub"), true, "github", "jira"); err != nil {
		t.Fatalf("hub: %v", err)
	}
	if err := join(t, as(address, "hub"), false, "notes"); err != nil {
		t.Fatalf("hub with a lease: %v", err)
	}
	serveRunner(t, as(address, "runner"))
	for _, c := range []struct {
		what string
		do   func() error
		kind toolscript.Kind // kind of the error; "" if the action is allowed
	}{
		{"alice calls github", func() error { return call(t, as(address, "alice"), "github") }, ""},
		{"alice calls notes, which has an owner", func() error { return call(t, as(address, "alice"), "notes") }, ""},
		{"alice calls github with a key", func() error { return callTwice(t, as(address, "alice"), "github") }, ""},
		{"alice calls notes with a key", func() error { return callTwice(t, as(address, "alice"), "notes") }, ""},
		{"alice calls jira", func() error { return call(t, as(address, "alice"), "jira") }, toolscript.Forbidden},
		{"bob calls jira", func() error { return call(t, as(address, "bob"), "jira") }, ""},
		{"alice says that she is bob", func() error {
			at := as(address, "alice")
			at.User = "bob"
			return call(t, at, "github")
		}, toolscript.Unavailable},
		{"the hub offers another server", func() error { return join(t, as(address, "hub"), true, "other") }, toolscript.Forbidden},
		{"a gateway offers a server", func() error { return join(t, as(address, "bob"), true, "github") }, toolscript.Forbidden},
		{"alice uses a runner", func() error { return useRunner(t, as(address, "alice")) }, ""},
		{"a hub uses a runner", func() error { return useRunner(t, as(address, "hub")) }, toolscript.Forbidden},
		{"a gateway is a runner", func() error { return tryRunner(t, as(address, "bob")) }, toolscript.Forbidden},
	} {
		t.Run(c.what, func(t *testing.T) {
			err := c.do()
			switch {
			case c.kind == "" && err != nil:
				t.Errorf("not allowed: %v", err)
			case c.kind != "" && err == nil:
				t.Error("allowed")
			case c.kind != "" && toolscript.KindOf(err) != c.kind:
				t.Errorf("the kind is %q, want %q: %v", toolscript.KindOf(err), c.kind, err)
			}
		})
	}
	nc, err := cluster.Connect(kit.Within(t), as(address, "operator"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	servers, err := cluster.List(kit.Within(t), nc)
	if err != nil || len(servers) != 3 {
		t.Errorf("the operator sees %+v (%v), want three servers", servers, err)
	}
	runners, err := cluster.Runners(kit.Within(t), nc)
	if err != nil || len(runners) != 1 || runners[0].Host != "there" {
		t.Errorf("the operator sees %+v (%v), want a runner", runners, err)
	}
}

func tryRunner(t *testing.T, at cluster.Address) error {
	t.Helper()
	s, err := remote.Join(kit.Within(t), cluster.Dialer(func() cluster.Address { return at }), remote.Options{
		Runners: 1, Host: "there", Version: "test", Log: slog.New(slog.DiscardHandler),
		Lend: func(context.Context) (runner.Runner, func(bool), error) {
			return nil, nil, errors.New("not in this test")
		},
	})
	if err != nil {
		return err
	}
	t.Cleanup(s.Close)
	return nil
}

func serveRunner(t *testing.T, at cluster.Address) {
	t.Helper()
	if err := tryRunner(t, at); err != nil {
		t.Fatalf("runner: %v", err)
	}
}

// useRunner reserves a sandbox at a runner.
func useRunner(t *testing.T, at cluster.Address) error {
	t.Helper()
	f := remote.NewFleet(at.Name, cluster.Dialer(func() cluster.Address { return at }), slog.New(slog.DiscardHandler))
	t.Cleanup(f.Reset)
	s, err := f.Take(kit.Within(t))
	if err == nil {
		s.Close()
	}
	return err
}

// TestOtherInbox checks that a gateway cannot read what hubs and runners send to another gateway.
func TestOtherInbox(t *testing.T) {
	address := startNATS(t, user{name: "alice", roles: []hub.Role{hub.RoleGateway}}, user{name: "bob", roles: []hub.Role{hub.RoleGateway}})
	for _, subject := range []string{"toolscript.gateway.bob.>", "runs.bob.>", "_INBOX.>", "toolscript.server.>", ">"} {
		refused := make(chan error, 1)
		nc, err := cluster.Connect(kit.Within(t), as(address, "alice"), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-refused:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", subject, err)
			}
		case <-kit.Within(t).Done():
			t.Errorf("%s was not refused", subject)
		}
		nc.Close()
	}
}

// TestNKey checks the login of a user with a key.
func TestNKey(t *testing.T) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "seed")
	if err := os.WriteFile(path, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	address := startNATS(t, user{name: "hub", roles: []hub.Role{hub.RoleHub}}, user{name: "alice", roles: []hub.Role{hub.RoleGateway}, nkey: public})
	if err := join(t, as(address, "hub"), true, "github"); err != nil {
		t.Fatal(err)
	}
	if err := call(t, cluster.Address{URL: "nats://" + address, Credentials: path, User: "alice"}, "github"); err != nil {
		t.Errorf("call with the key: %v", err)
	}
	if err := call(t, cluster.Address{URL: "nats://" + address, User: "alice"}, "github"); err == nil || !strings.Contains(err.Error(), "refuses the credentials") {
		t.Errorf("call without the key: %v", err)
	}
}

// TestWrongRoles checks the errors of invalid roles.
func TestWrongRoles(t *testing.T) {
	for _, c := range []struct {
		role, user, server, want string
	}{
		{"admin", "", "", "there is no role"},
		{"gateway", "a.b", "", "cannot be a name"},
		{"hub", "", "github.>", "cannot be a name"},
	} {
		var servers []string
		if c.server != "" {
			servers = []string{c.server}
		}
		_, err := hub.PermissionsOf([]hub.Role{hub.Role(c.role)}, c.user, servers)
		if toolscript.KindOf(err) != toolscript.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestOneVariable checks that two users never share a password by accident.
func TestOneVariable(t *testing.T) {
	gateway := []hub.Role{hub.RoleGateway}
	_, err := hub.Configuration([]hub.Client{{User: "a-b", Roles: gateway}, {User: "a_b", Roles: gateway}})
	if toolscript.KindOf(err) != toolscript.Invalid || !strings.Contains(err.Error(), "a-b and a_b") {
		t.Errorf("two users with one variable: %v", err)
	}
}
