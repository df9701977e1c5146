package api

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

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/telemetry"
)

// metrics answers GET /metrics for Prometheus.
func (s *Server) metrics(x *exchange) error {
	measures, err := s.backend.Measures(x.ctx)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := telemetry.WriteText(&text, telemetry.Families(measures)); err != nil {
		return err
	}
	x.c.Set(fiber.HeaderContentType, telemetry.ContentType)
	return x.c.Send(text.Bytes())
}

// Metrics serves GET /metrics on its own port, without a capability: a collector cannot
// learn the capability of each start of a gateway. For a hub, it also serves GET /health.
type Metrics struct {
	server   *http.Server
	listener net.Listener
}

// Measure returns the counters of a gateway; see Backend.Measures.
type Measure func(context.Context) (toolscript.Measures, error)

// ListenMetrics listens on a port of 127.0.0.1 and serves until Close; port 0 is any free port.
// health returns why a hub cannot be used at present; if health is nil, there is no GET /health.
func ListenMetrics(measures Measure, health func() error, port int, logger *slog.Logger) (*Metrics, error) {
	listener, err := Listen("127.0.0.1", port)
	if err != nil {
		return nil, err
	}
	m := &Metrics{listener: listener}
	m.server = &http.Server{
		Handler: m.handler(measures, health), ReadTimeout: headerTime, WriteTimeout: askTime + headerTime, IdleTimeout: idleTimeout,
		MaxHeaderBytes: headerLimit, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := m.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			logger.Error("metrics are not served any more", slog.String("error", err.Error()))
		}
	}()
	return m, nil
}

// URL returns the address of the metrics.
func (m *Metrics) URL() string { return "http://" + m.listener.Addr().String() + "/metrics" }

// Close ends the server and its connections.
func (m *Metrics) Close() error { return m.server.Close() }

// handler returns the handler of the routes. It refuses requests of web pages, as the gateway does.
func (m *Metrics) handler(measure Measure, health func() error) http.Handler {
	_, port, _ := net.SplitHostPort(m.listener.Addr().String()) // a TCP listener has a port
	own := map[string]bool{"127.0.0.1:" + port: true, "localhost:" + port: true}
	mux := http.NewServeMux()
	if health != nil {
		mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { answerHealth(w, health()) })
	}
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		measures, err := measure(r.Context())
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		var text bytes.Buffer
		_ = telemetry.WriteText(&text, telemetry.Families(measures)) // writing to a buffer does not fail
		w.Header().Set("Content-Type", telemetry.ContentType)
		w.Header().Set("Content-Length", strconv.Itoa(text.Len()))
		_, _ = w.Write(text.Bytes()) // an error means that the client is gone
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := r.Header.Get("Sec-Fetch-Site")
		if !own[strings.ToLower(r.Host)] || r.Header.Get("Origin") != "" || site != "" && site != "none" && site != "same-origin" {
			http.Error(w, errHost.Error(), http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
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
	text, _ := json.Marshal(h) // such a struct always has a JSON form
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the client is gone
}
