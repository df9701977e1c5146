package hub_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// authority is a certificate authority.
type authority struct {
	*testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
	file string // path of the authority's certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{T: t, dir: t.TempDir()}
	a.cert, a.key = a.sign("authority", &x509.Certificate{IsCA: true, KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true})
	a.file = filepath.Join(a.dir, "authority.pem")
	return a
}

// sign makes a certificate, and writes the certificate and its key to files.
func (a *authority) sign(name string, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.Fatal(err)
	}
	c.SerialNumber, c.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		a.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.Fatal(err)
	}
	signed, err := x509.ParseCertificate(der)
	if err := errors.Join(err,
		os.WriteFile(filepath.Join(a.dir, name+".pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(filepath.Join(a.dir, name+".key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600)); err != nil {
		a.Fatal(err)
	}
	return signed, key
}

// TestTLS: a gateway and a hub use a cluster that requires client certificates; without a
// certificate, the error says what to check.
func TestTLS(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	usage := []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	a.sign("server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: usage})
	a.sign("client", &x509.Certificate{ExtKeyUsage: usage})
	pair, err := tls.LoadX509KeyPair(filepath.Join(a.dir, "server.pem"), filepath.Join(a.dir, "server.key"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	address := natstest.Start(t, &natsserver.Options{
		TLS: true, TLSVerify: true, TLSTimeout: kit.Patience.Seconds(),
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert},
	}).Addr().String()
	right := cluster.Address{URL: "tls://" + address, CA: a.file, Cert: filepath.Join(a.dir, "client.pem"), Key: filepath.Join(a.dir, "client.key")}
	if err := join(t, right, true, "github"); err != nil {
		t.Fatalf("hub: %v", err)
	}
	if err := call(t, right, "github"); err != nil {
		t.Errorf("gateway: %v", err)
	}
	for name, wrong := range map[string]cluster.Address{
		"another authority":     {URL: right.URL, CA: other.file, Cert: right.Cert, Key: right.Key},
		"no authority":          {URL: right.URL, Cert: right.Cert, Key: right.Key},
		"no client certificate": {URL: right.URL, CA: right.CA},
	} {
		if err := call(t, wrong, "github"); toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), `check "url" and "tls" of "fleet"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	missing := right
	missing.CA = filepath.Join(a.dir, "none.pem")
	if err := call(t, missing, "github"); toolscript.KindOf(err) != toolscript.Invalid || !strings.Contains(err.Error(), "none.pem") {
		t.Errorf("a file that does not exist: %v", err)
	}
}

// tenants are two accounts of a NATS server that identifies its users by JWTs.
type tenants struct {
	*testing.T
	address  string
	accounts map[string]nkeys.KeyPair
}

func newTenants(t *testing.T, names ...string) *tenants {
	t.Helper()
	operator, err := nkeys.CreateOperator()
	if err != nil {
		t.Fatal(err)
	}
	n := &tenants{T: t, accounts: map[string]nkeys.KeyPair{}}
	resolver := &natsserver.MemAccResolver{}
	for _, name := range names {
		key, err := nkeys.CreateAccount()
		if err != nil {
			t.Fatal(err)
		}
		n.accounts[name] = key
		claims := jwt.NewAccountClaims(public(t, key))
		claims.Name = name
		text, err := claims.Encode(operator)
		if err := errors.Join(err, resolver.Store(claims.Subject, text)); err != nil {
			t.Fatal(err)
		}
	}
	claims := jwt.NewOperatorClaims(public(t, operator))
	n.address = natstest.Start(t, &natsserver.Options{TrustedKeys: []string{claims.Subject}, AccountResolver: resolver}).Addr().String()
	return n
}

func public(t *testing.T, key nkeys.KeyPair) string {
	t.Helper()
	name, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// login returns the login of a new user of an account, with a credentials file as nsc writes it.
// permit sets the permissions of the user.
func (n *tenants) login(account string, permit func(*jwt.UserClaims)) cluster.Address {
	n.Helper()
	key, err := nkeys.CreateUser()
	if err != nil {
		n.Fatal(err)
	}
	claims := jwt.NewUserClaims(public(n.T, key))
	permit(claims)
	text, err := claims.Encode(n.accounts[account])
	if err != nil {
		n.Fatal(err)
	}
	seed, err := key.Seed()
	if err != nil {
		n.Fatal(err)
	}
	creds, err := jwt.FormatUserConfig(text, seed)
	if err != nil {
		n.Fatal(err)
	}
	path := filepath.Join(n.TempDir(), "user.creds")
	if err := os.WriteFile(path, creds, 0o600); err != nil {
		n.Fatal(err)
	}
	return cluster.Address{URL: "nats://" + n.address, Credentials: path}
}

// TestTenants: accounts of a cluster are separate fleets, even if their servers have the same names.
func TestTenants(t *testing.T) {
	n := newTenants(t, "red", "blue")
	all := func(*jwt.UserClaims) {}
	if err := join(t, n.login("red", all), true, "github", "jira"); err != nil {
		t.Fatalf("hub of red: %v", err)
	}
	if err := join(t, n.login("blue", all), true, "github"); err != nil {
		t.Fatalf("hub of blue: %v", err)
	}
	for account, want := range map[string]string{"red": "github jira", "blue": "github"} {
		nc, err := cluster.Connect(kit.Within(t), n.login(account, all))
		if err != nil {
			t.Fatal(err)
		}
		entries, err := cluster.List(kit.Within(t), nc)
		nc.Close()
		var names []string
		for _, e := range entries {
			names = append(names, e.Server)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s sees %q, want %q: %v", account, got, want, err)
		}
	}
	if err := call(t, n.login("red", all), "jira"); err != nil {
		t.Errorf("red calls its server: %v", err)
	}
	if err := call(t, n.login("blue", all), "jira"); toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), "no hub of the fleet offers the server jira") {
		t.Errorf("blue calls a server of red: %v", err)
	}
	expired := func(c *jwt.UserClaims) { c.Expires = time.Now().Add(-time.Minute).Unix() }
	if err := call(t, n.login("red", expired), "jira"); toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), `check "credentials"`) {
		t.Errorf("expired credentials: %v", err)
	}
}
