package host

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// readyTime bounds the start of the NATS server, which does no I/O without a port.
const readyTime = 5 * time.Second

// maxPending bounds the bytes that wait in the hub until one gateway reads them: the pieces
// that it has room for, and for each call of some servers an answer in one piece. If more
// bytes wait, the gateway does not read, and its connection is ended.
const maxPending = (wire.MostRoom + 16*upstream.DefaultConcurrency) * wire.PieceSize

// hubUser is the user name of the hub's own connection.
const hubUser = "hub"

// broker is the NATS server.
type broker struct {
	server   *server.Server
	secret   string // password of hubUser
	operator string // password of wire.Operator; "" if there is no port

	mu       sync.Mutex
	gateways map[string]string // passwords by id; one use each
}

func newBroker(o Options, log *slog.Logger) (*broker, error) {
	b := &broker{secret: rand.Text(), operator: o.Password, gateways: map[string]string{}}
	options := &server.Options{
		ServerName: "toolscript-hub", Host: "127.0.0.1", Port: o.Port, DontListen: o.Port == 0,
		NoLog: true, NoSigs: true, NoSystemAccount: true, CustomClientAuthentication: b,
		MaxPending: maxPending, AuthTimeout: handshakeTime.Seconds(),
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("start the NATS server: %w", err)
	}
	s.SetLoggerV2(natsLog{log}, false, false, false)
	b.server = s
	s.Start()
	if !s.ReadyForConnections(readyTime) {
		s.Shutdown()
		return nil, fmt.Errorf("the NATS server is not ready after %s; is port %d in use?", readyTime, o.Port)
	}
	return b, nil
}

// connect returns the hub's own connection. lost is called once if it ends before Close.
func (b *broker) connect(lost func()) (*nats.Conn, error) {
	return nats.Connect("", nats.Name("toolscript hub"), nats.InProcessServer(b.server), nats.UserInfo(hubUser, b.secret),
		nats.NoReconnect(), nats.ClosedHandler(func(*nats.Conn) { lost() }), nats.NoCallbacksAfterClientClose())
}

// admit returns a connection to the NATS server for a gateway, and its password.
func (b *broker) admit(id string) (net.Conn, string, error) {
	conn, err := b.server.InProcessConn()
	if err != nil {
		return nil, "", err
	}
	password := rand.Text()
	b.mu.Lock()
	b.gateways[id] = password
	b.mu.Unlock()
	return conn, password, nil
}

// forget invalidates the password of a gateway.
func (b *broker) forget(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.gateways, id)
}

// Check implements server.Authentication.
func (b *broker) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	_, network := c.RemoteAddress().(*net.TCPAddr)
	switch {
	case network:
		if o.Username != wire.Operator || b.operator == "" || !same(o.Password, b.operator) {
			return false
		}
		c.RegisterUser(&server.User{Username: wire.Operator, Permissions: operatorPermissions()})
	case o.Username == hubUser:
		if !same(o.Password, b.secret) {
			return false
		}
		c.RegisterUser(&server.User{Username: hubUser})
	default:
		if !b.known(o.Username, o.Password) {
			return false
		}
		c.RegisterUser(&server.User{Username: o.Username, Permissions: gatewayPermissions(o.Username)})
	}
	return true
}

// known checks the password of a gateway, which is valid once.
func (b *broker) known(id, password string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	want, ok := b.gateways[id]
	if !ok || !same(want, password) {
		return false
	}
	delete(b.gateways, id)
	return true
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// gatewayPermissions returns the permissions of one gateway; see package wire.
func gatewayPermissions(id string) *server.Permissions {
	names := wire.HostNames(id)
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{names.Hub("*", ""), wire.ServerSubject("*", id)}},
		Subscribe: &server.SubjectPermission{Allow: []string{names.Inbox() + ">", wire.CatalogSubject("*")}},
	}
}

// operatorPermissions let NATS tools list and watch services, but not call a server: such
// a call would bypass the approvals, filters and audit of gateways.
func operatorPermissions() *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{"$SRV.PING.>", "$SRV.PING", "$SRV.INFO.>", "$SRV.INFO", "$SRV.STATS.>", "$SRV.STATS"}},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>", wire.CatalogSubject("*")}},
	}
}

// natsLog sends the errors of the NATS server to the log.
type natsLog struct{ to *slog.Logger }

// Noticef logs that a gateway was disconnected because it does not read, which the NATS server reports as a notice.
// Other notices are about its start and are dropped.
func (l natsLog) Noticef(format string, v ...any) {
	if strings.Contains(format, "Slow Consumer") {
		l.Warnf(format, v...)
	}
}
func (l natsLog) Debugf(string, ...any) {}
func (l natsLog) Tracef(string, ...any) {}

func (l natsLog) Warnf(format string, v ...any) {
	l.to.Warn("nats", slog.String("text", fmt.Sprintf(format, v...)))
}
func (l natsLog) Errorf(format string, v ...any) {
	l.to.Error("nats", slog.String("text", fmt.Sprintf(format, v...)))
}
func (l natsLog) Fatalf(format string, v ...any) { l.Errorf(format, v...) }
