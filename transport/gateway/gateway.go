// Package gateway is the HTTP side of the gateway: the server that command
// line and scripts talk to, and the client of the same API. It knows no actor:
// what it serves comes from a Backend.
//
// # Who may call
//
// Any web page the user opens can send requests to a port of this machine, so
// a request must pass, in this order:
//
//   - Host names this gateway (else 403): DNS rebinding fails here.
//   - Origin and Sec-Fetch-Site are absent or our own (else 403): a page of
//     another site, or `Origin: null`, fails here. No CORS header is ever sent.
//   - The capability is the first part of the path, or the value of
//     `Authorization: Bearer` (else 404, the same 404 as for an unknown route).
//     Only /health needs none, and /oauth/callback, which an authorization server
//     sends the browser to with a state that is good once. A run has a capability
//     of its own, with which it can list and call tools and nothing else (else 403).
//   - A POST says Content-Type: application/json (else 415), also when its body
//     is empty, because a POST without a content type is one that a page may
//     send without asking first.
//
// The capability is never logged and never part of an error.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

// Backend is what the gateway serves. Every context it is given has a deadline
// and ends when the client leaves or the gateway shuts down; the cause then is
// a *toolscript.Error. All methods are called concurrently.
type Backend interface {
	// Catalog is the current catalog. It does not block.
	Catalog() toolscript.Catalog
	// CallTool makes one call and answers with the whole MCP result, also when
	// that says isError.
	CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error)
	// Fetch asks for what servers offer beside tools: the answer is a
	// toolscript.Page in JSON, or the result of MCP.
	Fetch(ctx context.Context, o toolscript.Offered) (json.RawMessage, error)
	// Types is the module of the tools that f selects.
	Types(ctx context.Context, f toolscript.Filter, compact bool) (toolscript.Module, error)
	// Declarations are the .d.ts of that module, for editors.
	Declarations(ctx context.Context, f toolscript.Filter) (toolscript.Module, error)
	// Await waits until no server that f names is connecting, or ctx ends. It
	// names the servers it waited for, and those that still connect.
	Await(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string)
	// Servers are all configured servers, sorted by name.
	Servers(ctx context.Context) ([]toolscript.ServerStatus, error)
	// Status is the state of the whole gateway.
	Status(ctx context.Context) (toolscript.Status, error)
	// Search finds tools that do what a query says.
	Search(ctx context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error)
	// SearchStats are the figures of the search; Unavailable before it can answer.
	SearchStats(ctx context.Context) (toolscript.SearchStats, error)
	// SearchStatus says what tools can be searched by. It does not block.
	SearchStatus() toolscript.SearchStatus
	// Describe is what there is to know of one tool, by its id or as scripts write
	// it.
	Describe(ctx context.Context, name string) (toolscript.ToolDescription, error)
	// BeginAuth begins a login at a server that comes back to redirect, and returns
	// the URL for a person's browser.
	BeginAuth(ctx context.Context, server, redirect string) (authorizationURL string, err error)
	// FinishAuth ends a login with the query of its redirect, and names its server.
	FinishAuth(ctx context.Context, query url.Values) (server string, err error)
	// Reload reads the configuration again. An error leaves all as it was.
	Reload(ctx context.Context) (toolscript.Reload, error)
	// Exec runs a script to its end and emits its events in order, never
	// concurrently. An error of emit means that nobody listens any more, and
	// ends the run. Exec fails only when the run could not begin.
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// Runs are the last runs, the newest first.
	Runs(ctx context.Context) ([]toolscript.RunRecord, error)
	// Run is the record of one run.
	Run(ctx context.Context, id string) (toolscript.RunRecord, error)
	// RunOutput is what is kept of a run because it was over a limit.
	RunOutput(ctx context.Context, id string, q toolscript.OutputQuery) ([]byte, error)
	// AbortRun ends a run that is under way, or the tasks that an ended one has left.
	AbortRun(ctx context.Context, id string) error
	// GiveStdin passes standard input to a run that asked for it. It waits while
	// the piece before has not been taken.
	GiveStdin(ctx context.Context, id string, piece toolscript.StdinPiece) error
	// ReplyRun answers an open question of a run.
	ReplyRun(ctx context.Context, id string, answer toolscript.Answer) error
	// RunOf finds the run under way that a capability belongs to, and the tools
	// that it may call. It must find it in a time that tells nothing about the
	// capabilities there are.
	RunOf(capability string) (runID string, allow toolscript.Filter, ok bool)
}

// Options are what a Server needs besides its Backend.
type Options struct {
	Listener net.Listener // see Listen; the Server closes it
	Token    string       // the capability, see NewToken; "" lets in everybody who reaches a loopback port
	Logger   *slog.Logger // nil logs nothing

	Heartbeat   time.Duration // between blank lines of a silent stream; 0 is 5 s
	ReadTimeout time.Duration // for one whole request to arrive; 0 is 30 s
}

// Server serves a Backend on one listener.
type Server struct {
	backend   Backend
	app       *fiber.App
	listener  *listener
	token     string
	port      string
	log       *slog.Logger
	heartbeat time.Duration
	ids       requestIDs
	packed    packed

	ctx    context.Context // parent of every request's context
	cancel context.CancelCauseFunc
	closed chan struct{} // closed when streams must end, whatever their run does
	shut   sync.Once
	flight flight
}

// minToken is the length of 128 bits in base64url.
const minToken = 22

// New makes a server for o.Listener. It refuses a token of less than 128 bits,
// and to listen beyond this machine without a token.
func New(b Backend, o Options) (*Server, error) {
	addr := o.Listener.Addr().String()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("not a TCP address: " + addr)}
	}
	if err := checkToken(o.Token, o.Listener.Addr()); err != nil {
		return nil, err
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
		listener:  newListener(o.Listener),
		token:     o.Token,
		port:      port,
		log:       o.Logger,
		heartbeat: o.Heartbeat,
		ids:       newRequestIDs(),
		closed:    make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.app = s.newApp(o.ReadTimeout)
	return s, nil
}

// BaseURL is where the gateway listens, without the capability: it may be shown
// and logged.
func (s *Server) BaseURL() string {
	host, port, _ := net.SplitHostPort(s.listener.Addr().String()) // New has split it already
	if ip := net.ParseIP(host); ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// URL is the capability URL: who holds it may do everything. It has no trailing
// slash.
func (s *Server) URL() string {
	if s.token == "" {
		return s.BaseURL()
	}
	return s.BaseURL() + "/" + s.token
}
