package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/semaphore"

	"github.com/toolscript/toolscript"
)

// Options configure a Server.
type Options struct {
	Listener net.Listener // see Listen; the Server closes it
	Token    string       // the capability, see NewToken; "" accepts every request to a loopback port
	Approver string       // the secret of approvers, which must not leave the process; "": there are none
	Hosts    []string     // further names of the gateway in Host headers, with or without a port
	Logger   *slog.Logger // nil: no log
	MCP      http.Handler // answers MCPPath; nil: there is no such route
	ShowLink ShowLink     // shows links to the operator page; nil: there is no such page

	Heartbeat   time.Duration // time between blank lines of a silent stream; 0 is 5 s
	ReadTimeout time.Duration // time limit for the body of a request; 0 is 30 s. The header has at most 10 s of it
}

// Server serves a Backend on one listener.
type Server struct {
	backend    Backend
	agents     http.Handler // answers MCPPath
	app        *fiber.App
	listener   *listener
	token      string
	approver   string
	pages      PageSessions
	showLink   ShowLink
	port       string
	hosts      []hostName
	log        *slog.Logger
	heartbeat  time.Duration
	ids        requestIDs
	compressed compressedModules
	refused    sync.Map            // *fasthttp.RequestHeader → error: see received
	bodies     *semaphore.Weighted // limits the bytes of large bodies

	readTimeout time.Duration

	ctx      context.Context // parent of every request's context
	cancel   context.CancelCauseFunc
	closed   chan struct{} // closed when streams must end, even if their runs go on
	shut     sync.Once
	requests requestCounter
}

// minToken is the length of 128 bits in base64url.
const minToken = 22

// New returns a server for o.Listener. It refuses a token of less than 128 bits, and a
// missing token if other machines can reach the address.
func New(b Backend, o Options) (*Server, error) {
	addr := o.Listener.Addr().String()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("not a TCP address: " + addr)}
	}
	if err := checkToken(o.Token, o.Listener.Addr()); err != nil {
		return nil, err
	}
	var hosts []hostName
	for _, text := range o.Hosts {
		host, err := parseHost(text)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, host)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 5 * time.Second
	}
	if o.ReadTimeout == 0 {
		o.ReadTimeout = 30 * time.Second
	}
	s := &Server{
		backend:   b,
		agents:    o.MCP,
		listener:  newListener(o.Listener, o.Logger),
		token:     o.Token,
		approver:  o.Approver,
		showLink:  o.ShowLink,
		port:      port,
		hosts:     hosts,
		log:       o.Logger,
		heartbeat: o.Heartbeat,
		ids:       newRequestIDs(),
		bodies:    semaphore.NewWeighted(mostBodies),
		closed:    make(chan struct{}),

		readTimeout: o.ReadTimeout,
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.app = s.newApp()
	return s, nil
}

// BaseURL returns the address without the capability. It is not secret.
func (s *Server) BaseURL() string {
	host, port, _ := net.SplitHostPort(s.listener.Addr().String()) // New has split it before
	if ip := net.ParseIP(host); ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// URL returns the capability URL, which gives access to everything. It has no trailing slash.
func (s *Server) URL() string {
	if s.token == "" {
		return s.BaseURL()
	}
	return s.BaseURL() + "/" + s.token
}
