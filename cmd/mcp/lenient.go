package mcp

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// lenient accepts correct messages that mcp-go refuses. A refusal makes the Go SDK close
// its session.
type lenient struct{ http.Handler }

// serve answers an HTTP request with a message.
func (h lenient) serve(w http.ResponseWriter, r *http.Request, m message) {
	switch {
	case mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)):
		// The client has cancelled the request by closing its response. The notification of
		// the Go SDK has no version in _meta.
		if m.Method == "notifications/cancelled" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
	case m.isResponse() && r.Header.Get(server.HeaderKeySessionID) != "":
		w = &acceptedLate{ResponseWriter: w}
	}
	h.ServeHTTP(w, r)
}

// message is the part of a JSON-RPC message that is read before mcp-go reads it.
type message struct {
	JSONRPC       string
	Method        string
	ID            json.RawMessage
	Result, Error json.RawMessage
	Params        json.RawMessage
}

func (m message) isResponse() bool {
	_, err := strconv.ParseInt(string(m.ID), 10, 64)
	return err == nil && m.Method == "" && (m.Result != nil || m.Error != nil)
}

// acceptedLate answers 202 to a client's response that comes too late, because its request
// has ended or was answered. The client could not know that yet. mcp-go answers 400 or 500.
type acceptedLate struct {
	http.ResponseWriter
	late bool
}

// WriteHeader implements http.ResponseWriter.
func (w *acceptedLate) WriteHeader(code int) {
	if w.late = code == http.StatusBadRequest || code == http.StatusInternalServerError; w.late {
		w.Header().Del("Content-Type")
		w.Header().Del("Content-Length")
		code = http.StatusAccepted
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *acceptedLate) Write(p []byte) (int, error) {
	if w.late {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
