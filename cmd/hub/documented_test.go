package hub_test

import (
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
)

// example runs the cluster of docs/fleet.md, with ports of 127.0.0.1 in place of three hosts.
type example struct {
	*testing.T
	dir     string
	text    string // text of the section
	ports   []int  // for each host, a port for clients and one for routes
	running []*natsserver.Server
}

// block returns the n-th block in a language of the section, counted from 0.
func (e *example) block(language string, n int) string {
	e.Helper()
	all := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(e.text, -1)
	if n >= len(all) {
		e.Fatalf("the section has %d blocks of %s", len(all), language)
	}
	return e.here(all[n][1])
}

// here replaces the hosts and folders of the documentation by those of the test.
func (e *example) here(text string) string {
	for i, host := range []string{"a", "b", "c"} {
		text = strings.ReplaceAll(text, host+".example.com:4222", fmt.Sprint("127.0.0.1:", e.ports[2*i]))
		text = strings.ReplaceAll(text, host+".example.com:6222", fmt.Sprint("127.0.0.1:", e.ports[2*i+1]))
	}
	return strings.NewReplacer("/etc/nats/", e.dir+"/", "/etc/toolscript/", e.dir+"/").Replace(text)
}

func (e *example) write(name, text string) string {
	e.Helper()
	path := filepath.Join(e.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.Fatal(err)
	}
	return path
}

// start starts the NATS server of host i.
func (e *example) start(i int) {
	e.Helper()
	name := string(rune('a' + i))
	text := strings.NewReplacer(
		"server_name: a\n", "server_name: "+name+"\n", `"/var/lib/nats"`, `"`+e.TempDir()+`"`,
		"0.0.0.0:4222", fmt.Sprint("127.0.0.1:", e.ports[2*i]), "0.0.0.0:6222", fmt.Sprint("127.0.0.1:", e.ports[2*i+1]),
	).Replace(e.block("conf", 0))
	o, err := natsserver.ProcessConfigFile(e.write(name+".conf", text))
	if err != nil {
		e.Fatalf("%v in:\n%s", err, text)
	}
	e.running = append(e.running, natstest.Start(e, o))
}

// address writes a file of the documentation and returns its fleet address, as toolscript reads it.
func (e *example) address(name, text string) cluster.Address {
	e.Helper()
	loaded, err := config.Load(config.Options{Config: e.write(name, text), LookupEnv: func(name string) (string, bool) {
		return map[string]string{"FLEET_PASSWORD": password, "HOME": e.dir}[name], name == "FLEET_PASSWORD" || name == "HOME"
	}, WorkDir: e.dir, Strict: true})
	if err != nil {
		e.Fatal(err)
	}
	return loaded.Settings.Fleet.Address()
}

// TestDocumentedCluster runs the example of docs/fleet.md: three NATS servers with TLS and
// JetStream, the printed permissions, a hub with the lease of a server, and a gateway. The example
// continues to work after the loss of a NATS server.
func TestDocumentedCluster(t *testing.T) {
	page, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	ports, err := harness.FreePorts(6)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## A cluster of three NATS servers\n")
	text, _, _ = strings.Cut(text, "\n## ")
	e := &example{T: t, dir: t.TempDir(), text: text, ports: ports}

	command, _, _ := strings.Cut(e.block("sh", 0), "\n")
	words := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(command, "toolscript fleet permissions "), " > fleet.conf"))
	var clients []hub.Client
	for _, word := range words {
		c, err := hub.ParseClient(word)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(e.block("sh", 0), "export ") || !strings.Contains(e.block("sh", 0), c.Variable()+"=") {
			t.Errorf("the example does not set %s", c.Variable())
		}
		t.Setenv(c.Variable(), password)
		clients = append(clients, c)
	}
	account, err := hub.Configuration(clients)
	if err != nil || len(clients) != 3 {
		t.Fatalf("permissions of %q: %v", words, err)
	}
	e.write("fleet.conf", account)

	a := newAuthority(t)
	a.sign("server", &x509.Certificate{
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	for from, to := range map[string]string{"authority.pem": "ca.pem", "server.pem": "server.pem", "server.key": "server.key"} {
		text, err := os.ReadFile(filepath.Join(a.dir, from))
		if err != nil {
			t.Fatal(err)
		}
		e.write(to, string(text))
	}
	for i := range 3 {
		e.start(i)
	}

	hub, alice := e.address("hub.json", e.block("json", 0)), e.address("alice.json", e.block("json", 1))
	if err := join(t, hub, false, "notes"); err != nil {
		t.Fatalf("hub: %v", err)
	}
	answered := func() (err error) {
		until := time.Now().Add(kit.Patience)
		for err = call(t, alice, "notes"); err != nil && time.Now().Before(until); err = call(t, alice, "notes") {
		}
		return err
	}
	if err := answered(); err != nil { // the NATS servers may still elect a leader
		t.Fatalf("call: %v", err)
	}
	if err := callTwice(t, alice, "notes"); err != nil {
		t.Errorf("calls with a key: %v", err)
	}
	for _, bucket := range []string{cluster.DefaultBucket, host.KeysBucket} {
		if n := e.replicas(hub, bucket); n != 3 {
			t.Errorf("the bucket %s has %d replicas", bucket, n)
		}
	}
	e.running[2].Shutdown()
	e.running[2].WaitForShutdown()
	if err := answered(); err != nil {
		t.Errorf("call after the loss of a NATS server: %v", err)
	}
}

// replicas returns the number of replicas of a bucket, as JetStream reports it.
func (e *example) replicas(at cluster.Address, bucket string) int {
	e.Helper()
	nc, err := cluster.Connect(kit.Within(e.T), at, nats.Name("test"))
	if err != nil {
		e.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		e.Fatal(err)
	}
	s, err := js.Stream(kit.Within(e.T), "KV_"+bucket)
	if err != nil {
		e.Fatal(err)
	}
	return s.CachedInfo().Config.Replicas
}
