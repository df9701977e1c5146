package sharing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestOperator: with the output of hub credentials, a NATS client can see the services of the hub without their secrets,
// and cannot do anything else.
func TestOperator(t *testing.T) {
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // it listens on TCP
	_ = free.Close()                        // only its number is needed
	w := newWorld(t, fmt.Sprintf(`{"mcpServers": {"count": {SERVER, "shared": true, "env": {"API_KEY": "hunter2hunter2"}}}, "hub": {"port": %d}}`, port))
	g := w.gateway("a")
	w.ready(g)
	if out, err := w.run("hub", "credentials"); err == nil {
		t.Errorf("a password was written to a pipe: %d bytes", len(out))
	}
	out, err := w.run("hub", "credentials", "--show", "--json")
	var c struct{ URL, User, Password string }
	if err == nil {
		err = json.Unmarshal([]byte(out), &c)
	}
	if err != nil || c.URL != fmt.Sprintf("nats://127.0.0.1:%d", port) {
		t.Fatalf("credentials: %v", err)
	}
	for _, user := range []string{"hub", strings.Repeat("ab", 16), c.User, ""} {
		if nc, err := nats.Connect(c.URL, nats.UserInfo(user, "wrong"), nats.NoReconnect()); err == nil {
			nc.Close()
			t.Errorf("user %q with a wrong password is admitted", user)
		}
	}
	refused := make(chan error, 10)
	nc, err := nats.Connect(c.URL, nats.UserInfo(c.User, c.Password), nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	for _, verb := range []string{"PING", "INFO", "STATS"} {
		for _, subject := range []string{"$SRV." + verb, "$SRV." + verb + ".count"} {
			m, err := nc.Request(subject, nil, time.Minute)
			if err != nil || !strings.Contains(string(m.Data), `"server":"count"`) || strings.Contains(string(m.Data), "hunter2") {
				t.Errorf("%s: %v, %v", subject, m, err)
			}
		}
	}
	for _, subject := range []string{"gateway.>", "hub.>", "server.*.call.*", ">"} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		_ = nc.Flush() // a refusal arrives before the answer to Flush
		if err := <-refused; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("subscription to %s: %v", subject, err)
		}
	}
	for _, subject := range []string{"hub.offer.operator", "server." + strings.Repeat("0", 32) + ".call.operator", "gateway." + strings.Repeat("0", 32) + ".1.done"} {
		if err := nc.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		_ = nc.Flush() // a refusal arrives before the answer to Flush
		if err := <-refused; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("message to %s: %v", subject, err)
		}
	}
	if n := w.bump(g); n != 1 {
		t.Errorf("the first call was counted as %d", n)
	}
}

// TestFullDisk: if the hub is killed while the disk is full, the gateway reports that in the state of the
// server, does not start the server itself, and has it again when there is space.
func TestFullDisk(t *testing.T) {
	dir, err := os.MkdirTemp("", "hub") //nolint:usetesting // the path of t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	w := newWorld(t, sharedConfig)
	w.Env = []string{"TOOLSCRIPT_RUNTIME_DIR=" + dir}
	g := w.gateway("a")
	w.ready(g)
	first := w.hub().PID
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool {
		_, _, _ = tryBump(t.Context(), g) // this call fails
		s := state(t.Context(), g)
		return s.State == "backoff" && strings.Contains(s.Error, syscall.ENOSPC.Error())
	})
	w.until(func() bool { return len(w.servers()) == 0 })
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool {
		n, _, err := tryBump(t.Context(), g)
		return err == nil && n == 1
	})
	if s := w.hub(); s.PID == first || len(w.servers()) != 1 {
		t.Errorf("hub %+v, servers %v", s, w.servers())
	}
}
