//go:build linux

package fleet

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript/test/harness"
)

const loopback = "127.0.0.1"

// nodes is the number of NATS servers.
const nodes = 3

// The users of the cluster, who all have the same password.
const (
	hubUser     = "hub"
	gatewayUser = "gateway"
	testUser    = "test" // forges messages and records
	password    = "fleet-password"
)

// node is a NATS server in the cluster.
type node struct {
	name   string
	port   int     // for clients
	routes []*link // to the other nodes
	config string
	log    string
	cmd    *exec.Cmd // nil if it does not run
}

// cluster is a cluster of NATS servers with TLS and JetStream.
type cluster struct {
	*fleet
	nodes []*node
	ca    string // path of the CA certificate
}

// newCluster starts the cluster.
func (f *fleet) newCluster() *cluster {
	f.Helper()
	c := &cluster{fleet: f}
	cert, key := c.certificates()
	ports, err := harness.FreePorts(2 * nodes)
	if err != nil {
		f.Fatal(err)
	}
	for i := range nodes {
		n := &node{name: fmt.Sprint("node", i), port: ports[2*i]}
		var routes []string
		for j := range nodes {
			if j != i {
				l := f.newLink(fmt.Sprintf("%s-node%d", n.name, j), ports[2*j+1])
				n.routes, routes = append(n.routes, l), append(routes, fmt.Sprintf("%q", "nats://"+at(l.port)))
			}
		}
		n.config, n.log = filepath.Join(f.dir, n.name+".conf"), filepath.Join(f.dir, n.name+".log")
		text := fmt.Sprintf(`
server_name: %[1]s
listen: "%[2]s:%[3]d"
log_file: %[4]q
jetstream { store_dir: %[5]q }
tls { cert_file: %[6]q, key_file: %[7]q }
authorization { users: [
  {user: %[8]q, password: %[11]q}, {user: %[9]q, password: %[11]q}, {user: %[10]q, password: %[11]q}
] }
cluster {
  name: fleet
  listen: "%[2]s:%[12]d"
  no_advertise: true
  advertise: "%[2]s:1" # nothing listens there: nodes use only the links
  pool_size: -1
  tls { cert_file: %[6]q, key_file: %[7]q, ca_file: %[13]q }
  routes: [%[14]s]
}
`, n.name, loopback, n.port, n.log, filepath.Join(f.dir, "store"+fmt.Sprint(i)), cert, key, hubUser, gatewayUser, testUser, password, ports[2*i+1], c.ca, strings.Join(routes, ", "))
		if err := os.WriteFile(n.config, []byte(text), 0o600); err != nil {
			f.Fatal(err)
		}
		c.nodes = append(c.nodes, n)
	}
	f.atEnd(func() {
		for _, n := range c.nodes {
			c.killNode(n)
		}
	})
	for _, n := range c.nodes {
		c.startNode(n)
	}
	c.awaitQuorum()
	return c
}

// awaitQuorum waits until JetStream can store records on all nodes.
func (c *cluster) awaitQuorum() {
	c.Helper()
	nc := c.connect()
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		c.Fatal(err)
	}
	const probe = "probe"
	err = harness.Until(c.Context(), func() (bool, error) {
		ctx, cancel := context.WithTimeout(c.Context(), 2*time.Second)
		defer cancel()
		_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: probe, Subjects: []string{probe}, Replicas: nodes})
		return err == nil && js.DeleteStream(ctx, probe) == nil, nil
	})
	if err != nil {
		c.Fatalf("the cluster is not ready: %v", err)
	}
}

// certificates writes a CA certificate, and a certificate for the nodes with its key.
func (c *cluster) certificates() (cert, key string) {
	c.Helper()
	must := func(err error) {
		c.Helper()
		if err != nil {
			c.Fatal(err)
		}
	}
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(c.dir, name)
		must(os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of the fleet"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	must(err)
	c.ca = write("ca.pem", "CERTIFICATE", der)
	own := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "node"}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.ParseIP(loopback)},
	}
	ownKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	der, err = x509.CreateCertificate(rand.Reader, own, authority, ownKey.Public(), authorityKey)
	must(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(ownKey)
	must(err)
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", keyDER)
}

// startNode starts a node, without waiting for it.
func (c *cluster) startNode(n *node) {
	c.Helper()
	self, err := os.Executable()
	if err != nil {
		c.Fatal(err)
	}
	n.cmd = exec.Command(self, asNode, n.config)
	n.cmd.Stderr, n.cmd.SysProcAttr = os.Stderr, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := n.cmd.Start(); err != nil {
		c.Fatal(err)
	}
}

// killNode kills a node, even if it is stopped.
func (c *cluster) killNode(n *node) {
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Kill() // it may have ended already
	_ = n.cmd.Wait()         // killed, so an error is expected
	n.cmd = nil
}

// connect connects to a node as the user test, without a link.
func (c *cluster) connect() *nats.Conn {
	c.Helper()
	var urls []string
	for _, n := range c.nodes {
		urls = append(urls, fmt.Sprintf("tls://%s:%d", loopback, n.port))
	}
	nc, err := nats.Connect(strings.Join(urls, ","), nats.UserInfo(testUser, password), nats.RootCAs(c.ca), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1))
	if err != nil {
		c.Fatal(err)
	}
	return nc
}
