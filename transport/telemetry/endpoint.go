package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
)

// Limits of the requests to an Endpoint.
const (
	requestTime = 10 * time.Second // for reading a request, and for reading the counters of the gateway
	idleTime    = time.Minute      // between two requests on a connection
	headerBytes = 64 << 10
)

// EndpointOptions configure an Endpoint. Health may be nil.
type EndpointOptions struct {
	Listener net.Listener // listens on a loopback address
	Measures func(context.Context) (toolscript.Measures, error)
	Health   func() error    // returns why a hub cannot be used at present; nil: there is no GET /health
	Status   func(error) int // returns the HTTP status for an error of Measures
	Logger   *slog.Logger
}

// Endpoint serves GET /metrics on its own port. It requires no capability, because each start of a
// gateway creates a new one, and a collector could not learn it. For a hub, Endpoint also serves GET
// /health.
type Endpoint struct {
	EndpointOptions
	server *http.Server
}

// Serve serves until Close.
func Serve(o EndpointOptions) *Endpoint {
	e := &Endpoint{EndpointOptions: o}
	e.server = &http.Server{
		Handler: e.handler(), ReadTimeout: requestTime, WriteTimeout: 2 * requestTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := e.server.Serve(o.Listener); !errors.Is(err, http.ErrServerClosed) {
			o.Logger.Error("metrics are not served any more", slog.String("error", err.Error()))
		}
	}()
	return e
}

// URL returns the address of the metrics.
func (e *Endpoint) URL() string { return "http://" + e.Listener.Addr().String() + "/metrics" }

// Close ends the server and its connections.
func (e *Endpoint) Close() error { return e.server.Close() }

// handler returns the handler of the routes. Like the gateway, it refuses requests that web pages make.
func (e *Endpoint) handler() http.Handler {
	_, port, _ := net.SplitHostPort(e.Listener.Addr().String()) // a TCP listener has a port
	own := map[string]bool{"127.0.0.1:" + port: true, "localhost:" + port: true}
	mux := http.NewServeMux()
	if e.Health != nil {
		mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { answerHealth(w, e.Health()) })
	}
	mux.HandleFunc("GET /metrics", e.answer)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := r.Header.Get("Sec-Fetch-Site")
		if !own[strings.ToLower(r.Host)] || r.Header.Get("Origin") != "" || site != "" && site != "none" && site != "same-origin" {
			http.Error(w, "the Host or Origin header is of another site", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (e *Endpoint) answer(w http.ResponseWriter, r *http.Request) {
	measures, err := e.Measures(r.Context())
	if err != nil {
		http.Error(w, err.Error(), e.Status(err))
		return
	}
	var text bytes.Buffer
	_ = WriteText(&text, Families(measures)) // writing to a buffer does not fail
	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("Content-Length", strconv.Itoa(text.Len()))
	_, _ = w.Write(text.Bytes()) // an error means that the client is gone
}

// HubHealth is the answer of GET /health of a hub.
type HubHealth struct {
	Status  string `json:"status"` // ok, or unavailable
	Version string `json:"version"`
	Error   string `json:"error,omitempty"` // why gateways cannot use the hub
}

func answerHealth(w http.ResponseWriter, why error) {
	h, status := HubHealth{Status: "ok", Version: toolscript.Version}, http.StatusOK
	if why != nil {
		h.Status, h.Error, status = string(toolscript.Unavailable), why.Error(), http.StatusServiceUnavailable
	}
	text, _ := json.Marshal(h) // never fails for such a struct
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the client is gone
}
