package deno

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/quickjs/prelude"
	"github.com/toolscript/toolscript/runner/session"
)

// loopback is the HTTP server for processes of Deno. Its paths begin with the capability of a
// process. If the capability is unknown or its run has ended, the status is 404.
type loopback struct {
	listener net.Listener
	server   *http.Server
	module   string
	log      *slog.Logger

	mu        sync.Mutex
	endpoints map[[sha256.Size]byte]*endpoint // by hash of the capability: the time of a lookup leaks nothing
}

// mostConns bounds the connections. Every program on this machine can open connections, and
// each costs the gateway a descriptor. A process of Deno needs only a few.
const mostConns = 256

func openLoopback(ctx context.Context, log *slog.Logger) (*loopback, error) {
	module, err := prelude.Source(prelude.Module)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &loopback{listener: listener, module: module, log: log, endpoints: map[[sha256.Size]byte]*endpoint{}}
	d.server = &http.Server{
		Handler: d.routes(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := d.server.Serve(netutil.LimitListener(listener, mostConns)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the loopback server for Deno closed", slog.String("error", err.Error()))
		}
	}()
	return d, nil
}

// host returns the IP address with the port, as in Deno's flags.
func (l *loopback) host() string { return l.listener.Addr().String() }

func (l *loopback) port() uint16 { return uint16(l.listener.Addr().(*net.TCPAddr).Port) }

func (l *loopback) url(capability string) string { return "http://" + l.host() + "/" + capability }

func (l *loopback) close() error { return l.server.Close() }

// admit adds a capability; forget removes it.
func (l *loopback) admit(capability string) *endpoint {
	r := &endpoint{}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endpoints[sha256.Sum256([]byte(capability))] = r
	return r
}

func (l *loopback) forget(capability string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.endpoints, sha256.Sum256([]byte(capability)))
}

func (l *loopback) find(capability string) *endpoint {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.endpoints[sha256.Sum256([]byte(capability))]
}

func (l *loopback) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{capability}/runtime/tools.ts", l.authorized(func(w http.ResponseWriter, _ *http.Request, _ *endpoint) {
		w.Header().Set("Content-Type", "application/javascript; charset=utf-8")
		_, _ = io.WriteString(w, l.module) // a process that cannot read the module fails itself
	}))
	mux.HandleFunc("GET /{capability}/runtime/script/{path...}", l.authorized(giveFile))
	mux.HandleFunc("POST /{capability}/answer", l.authorized(giveAnswer))
	mux.HandleFunc("POST /{capability}/stdin", l.authorized(readStdin))
	return mux
}

// authorized serves requests that name this server and a known capability.
func (l *loopback) authorized(serve func(http.ResponseWriter, *http.Request, *endpoint)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		found := l.find(r.PathValue("capability"))
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		switch {
		case r.Host != l.host():
			w.Header().Set("Connection", "close")
			refuse(w, http.StatusForbidden, toolscript.Forbidden, "this is not the address of the gateway")
		case found == nil:
			w.Header().Set("Connection", "close") // free its place in mostConns
			refuse(w, http.StatusNotFound, toolscript.NotFound, "no such route")
		case r.Method == http.MethodPost && kind != "application/json":
			refuse(w, http.StatusUnsupportedMediaType, toolscript.Unsupported, "the Content-Type must be application/json")
		default:
			if err := session.Contain(l.log, "answer a script on Deno", func() { serve(w, r, found) }); err != nil {
				refuse(w, http.StatusInternalServerError, toolscript.Internal, err.Error())
			}
		}
	}
}

func refuse(w http.ResponseWriter, status int, kind toolscript.Kind, message string) {
	answer(w, status, (&toolscript.ToolError{Code: kind, Message: message}).JSON())
}

func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the process has ended
}

// readStdin responds with the next piece of standard input, or with status 204 at its end.
func readStdin(w http.ResponseWriter, request *http.Request, to *endpoint) {
	run := to.current()
	if run == nil {
		refuse(w, http.StatusConflict, toolscript.Conflict, "no run is in progress")
		return
	}
	piece, err := run.ReadStdin(request.Context())
	switch {
	case err != nil:
		refuse(w, http.StatusInternalServerError, toolscript.Internal, err.Error())
	case piece == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(piece) //nolint:gosec // bytes for a script, not for a browser
	}
}
