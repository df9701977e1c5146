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

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/internal/guard"
	"github.com/toolscript/toolscript/runner/quickjs/prelude"
)

// door is the HTTP server that processes reach. Its paths begin with the
// capability of a process; one that is unknown, or whose run has ended, finds
// nothing.
type door struct {
	listener net.Listener
	server   *http.Server
	module   string
	log      *slog.Logger

	mu    sync.Mutex
	rooms map[[sha256.Size]byte]*room // by the hash of the capability: looking one up tells nothing of others
}

func openDoor(ctx context.Context, log *slog.Logger) (*door, error) {
	module, err := prelude.Source(prelude.Module)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &door{listener: listener, module: module, log: log, rooms: map[[sha256.Size]byte]*room{}}
	d.server = &http.Server{
		Handler: d.routes(), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := d.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the door for Deno closed", slog.String("error", err.Error()))
		}
	}()
	return d, nil
}

// host is the door's address with its port, as Deno's flags name it.
func (d *door) host() string { return d.listener.Addr().String() }

func (d *door) port() uint16 { return uint16(d.listener.Addr().(*net.TCPAddr).Port) }

func (d *door) url(capability string) string { return "http://" + d.host() + "/" + capability }

func (d *door) close() error { return d.server.Close() }

// admit makes a capability known, forget makes it unknown for good.
func (d *door) admit(capability string) *room {
	r := &room{}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rooms[sha256.Sum256([]byte(capability))] = r
	return r
}

func (d *door) forget(capability string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rooms, sha256.Sum256([]byte(capability)))
}

func (d *door) find(capability string) *room {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rooms[sha256.Sum256([]byte(capability))]
}

func (d *door) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{capability}/runtime/tools.ts", d.inside(func(w http.ResponseWriter, _ *http.Request, _ *room) {
		w.Header().Set("Content-Type", "application/javascript; charset=utf-8")
		_, _ = io.WriteString(w, d.module) // who does not read it does not run
	}))
	mux.HandleFunc("POST /{capability}/answer", d.inside(giveAnswer))
	mux.HandleFunc("POST /{capability}/stdin", d.inside(readStdin))
	return mux
}

// inside lets in who names this door and knows a capability.
func (d *door) inside(serve func(http.ResponseWriter, *http.Request, *room)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		found := d.find(r.PathValue("capability"))
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		switch {
		case r.Host != d.host():
			refuse(w, http.StatusForbidden, toolscript.Forbidden, "this is not the address of the gateway")
		case found == nil:
			refuse(w, http.StatusNotFound, toolscript.NotFound, "there is nothing here")
		case r.Method == http.MethodPost && kind != "application/json":
			refuse(w, http.StatusUnsupportedMediaType, toolscript.Unsupported, "the Content-Type must be application/json")
		default:
			if err := guard.Do(d.log, "answer a script on Deno", func() { serve(w, r, found) }); err != nil {
				refuse(w, http.StatusInternalServerError, toolscript.Internal, err.Error())
			}
		}
	}
}

func refuse(w http.ResponseWriter, status int, kind toolscript.Kind, message string) {
	answer(w, status, errorJSON(&toolscript.ToolError{Code: kind, Message: message}))
}

func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a process that is gone reads nothing
}

// readStdin answers with the next piece of standard input: 204 is its end.
func readStdin(w http.ResponseWriter, request *http.Request, room *room) {
	run := room.under()
	if run == nil {
		refuse(w, http.StatusConflict, toolscript.Conflict, "no run is under way here")
		return
	}
	piece, err := run.stdin(request.Context())
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
