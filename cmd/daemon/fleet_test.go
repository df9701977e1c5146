package daemon

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/test/kit"
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

// startNATS starts a NATS server on a port of 127.0.0.1, with one user for a gateway and one for a
// hub, and returns its address.
func startNATS(t *testing.T, gateway *natsserver.Permissions) string {
	t.Helper()
	return natstest.Start(t, &natsserver.Options{Users: []*natsserver.User{
		{Username: "gateway", Password: "g", Permissions: gateway}, {Username: "hub", Password: "h"},
	}}).Addr().String()
}

// offer offers a server to the fleet until leave is called.
func offer(t *testing.T, address, name string) (leave func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	system, err := actors.Start(actors.Options{ServersOnly: true, Dial: upstream.Host{}.Dial()})
	if err != nil {
		t.Fatal(err)
	}
	f, err := host.Join(t.Context(), host.FleetOptions{
		Address: cluster.Address{URL: "nats://hub:h@" + address}, Host: "one", Version: "test", Servers: system,
		Offers: []host.Offer{{Name: name, Config: upstream.Config{Type: upstream.Stdio, Command: self, Args: []string{asServer}}, Stateless: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	left := false
	leave = func() {
		if left {
			return
		}
		left = true
		f.Close()
		ctx, cancel := context.WithTimeout(context.Background(), kit.Patience)
		defer cancel()
		if err := system.Close(ctx); err != nil {
			t.Errorf("close the servers: %v", err)
		}
	}
	t.Cleanup(leave)
	return leave
}

// startDaemon starts the actors of a gateway with text as the user's file.
func startDaemon(t *testing.T, text string) *Daemon {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &Host{Warn: t.Logf, Config: config.Options{WorkDir: home, LookupEnv: func(name string) (string, bool) {
		if name == "HOME" {
			return home, true
		}
		return "", false
	}}}
	loaded, err := h.Load(false)
	if err != nil {
		t.Fatal(err)
	}
	d, err := h.Start(loaded, Options{
		Logger: slog.New(slog.DiscardHandler), FleetLook: 10 * time.Millisecond, Search: func(s *config.Search) { s.Lexical = true },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return d
}

func (d *Daemon) stateOf(t *testing.T, name string) toolscript.ServerStatus {
	t.Helper()
	all, err := d.Servers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return toolscript.ServerStatus{}
}

// TestFleetFollows: servers of the fleet appear and disappear without a reload.
func TestFleetFollows(t *testing.T) {
	address := startNATS(t, nil)
	d := startDaemon(t, `{"mcpServers": {}, "fleet": {"url": "nats://gateway:g@`+address+`", "use": "*"}}`)
	leave := offer(t, address, "srv")
	kit.Eventually(t, "the server is there", func() bool { return d.stateOf(t, "srv").State == toolscript.Ready })
	leave()
	kit.Eventually(t, "the server is gone", func() bool { return d.stateOf(t, "srv").Name == "" })
}

// TestFleetApproval: a call of a fleet's server waits for a person at the gateway, and the audit
// records the approval and the host.
func TestFleetApproval(t *testing.T) {
	address := startNATS(t, nil)
	offer(t, address, "srv")
	d := startDaemon(t, `{"mcpServers": {"srv": {"fleet": true}}, "fleet": {"url": "nats://gateway:g@`+address+`"},
		"approvals": {"rules": [{"match": ["srv__echo"], "action": "ask"}]}}`)
	kit.Eventually(t, "the server is ready", func() bool { return d.stateOf(t, "srv").State == toolscript.Ready })
	for _, action := range []toolscript.ApprovalAction{toolscript.ApprovalDeny, toolscript.ApprovalAllow} {
		failed := make(chan error, 1)
		go func() {
			_, err := d.CallTool(t.Context(), toolscript.Call{ID: "srv__echo", Args: json.RawMessage(`{"text":"x"}`), Waiting: func() (func(toolscript.Approval), func(bool)) {
				return func(toolscript.Approval) {}, func(bool) {}
			}})
			failed <- err
		}()
		var pending []toolscript.Approval
		kit.Eventually(t, "the call waits", func() bool {
			pending, _ = d.PendingApprovals(t.Context())
			return len(pending) == 1
		})
		if err := d.AnswerApproval(t.Context(), pending[0].ID, toolscript.ApprovalAnswer{Action: action}, true); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; (err == nil) != (action == toolscript.ApprovalAllow) {
			t.Errorf("%s: the call ended with %v", action, err)
		}
	}
	folder, err := d.host.AuditFolder()
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	kit.Eventually(t, "the audit has both calls", func() bool {
		calls = nil
		_ = audit.ChainLines(folder, func(l audit.ChainLine) { // the line may be incomplete while it is written
			var line audit.Line
			if json.Unmarshal(l.Text, &line) == nil && line.Type == audit.TypeCall {
				calls = append(calls, line.Tool+" "+line.Approval+" "+line.Host)
			}
		})
		return len(calls) == 2
	})
	if want := []string{"srv__echo denied ", "srv__echo person one"}; !slices.Equal(calls, want) {
		t.Errorf("calls = %q, want %q", calls, want)
	}
}

// TestFleetPermissions: a gateway works even if it may not list all servers of the fleet.
func TestFleetPermissions(t *testing.T) {
	address := startNATS(t, &natsserver.Permissions{
		Publish:   &natsserver.SubjectPermission{Allow: []string{"toolscript.server.srv.*.*.gateway.*", "toolscript.hub.*.*.gateway.*"}},
		Subscribe: &natsserver.SubjectPermission{Allow: []string{"toolscript.gateway.gateway.>", "toolscript.catalog.srv"}},
	})
	offer(t, address, "srv")
	offer(t, address, "secret")
	d := startDaemon(t, `{"mcpServers": {"srv": {"fleet": true}, "secret": {"fleet": true}}, "fleet": {"url": "nats://gateway:g@`+address+`"}}`)
	kit.Eventually(t, "the server is ready", func() bool { return d.stateOf(t, "srv").State == toolscript.Ready })
	if _, err := d.CallTool(t.Context(), toolscript.Call{ID: "srv__echo", Args: json.RawMessage(`{"text":"x"}`)}); err != nil {
		t.Error(err)
	}
	kit.Eventually(t, "the other server is refused", func() bool {
		s := d.stateOf(t, "secret")
		return s.State == toolscript.Backoff && strings.Contains(s.Error, "credentials of the fleet do not allow requests to this server")
	})
	if status, err := d.Status(t.Context()); err != nil || len(status.Warnings) > 0 {
		t.Errorf("warnings %q, %v", status.Warnings, err)
	}
	all := startDaemon(t, `{"mcpServers": {}, "fleet": {"url": "nats://gateway:g@`+address+`", "use": "*"}}`)
	kit.Eventually(t, "the status says that servers cannot be listed", func() bool {
		status, err := all.Status(t.Context())
		return err == nil && len(status.Warnings) == 1 && strings.Contains(status.Warnings[0], `name the servers in "use" of "fleet"`)
	})
}

// TestFleetUnknown: the status says why the servers of the fleet are unknown.
func TestFleetUnknown(t *testing.T) {
	d := startDaemon(t, `{"mcpServers": {}, "fleet": {"url": "nats://127.0.0.1:1", "use": "*"}}`)
	status, err := d.Status(t.Context())
	if err != nil || len(status.Warnings) != 1 || !strings.Contains(status.Warnings[0], "the servers of the fleet are not known: the fleet at nats://127.0.0.1:1 cannot be reached") {
		t.Errorf("warnings %q, %v", status.Warnings, err)
	}
}
