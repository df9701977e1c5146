package gateway

import (
	"net/http"

	"github.com/toolscript/toolscript"
)

// health answers GET /health: that the gateway runs, and which contract it
// speaks. It is 200 also when the servers cannot be asked.
func (s *Server) health(x *exchange) error {
	servers, err := s.backend.Servers(x.ctx)
	return x.answer(http.StatusOK, Health{
		Status:   "ok",
		Version:  toolscript.Version,
		Protocol: toolscript.Protocol,
		Search:   SearchHealth{Ready: err == nil && allTried(servers), State: "lexical"},
	})
}

// allTried reports whether every server has connected or failed once.
func allTried(servers []toolscript.ServerStatus) bool {
	for _, server := range servers {
		if server.State == toolscript.Connecting && server.Attempt <= 1 && server.Restarts == 0 {
			return false
		}
	}
	return true
}

// ready answers GET /ready.
func (s *Server) ready(x *exchange) error {
	servers, err := s.backend.Servers(x.ctx)
	if err != nil {
		return err
	}
	r := readinessOf(servers)
	if !r.Ready {
		return x.answer(http.StatusServiceUnavailable, r)
	}
	return x.answer(http.StatusOK, r)
}

func readinessOf(servers []toolscript.ServerStatus) Readiness {
	r := Readiness{Total: len(servers), Waiting: []string{}, Failed: []FailedServer{}}
	for _, server := range servers {
		switch server.State {
		case toolscript.Ready:
			r.Connected++
		case toolscript.Connecting, toolscript.Backoff:
			r.Waiting = append(r.Waiting, server.Name)
		default:
			r.Failed = append(r.Failed, FailedServer{Name: server.Name, Error: whyFailed(server)})
		}
	}
	r.Ready = r.Connected == r.Total
	return r
}

func whyFailed(server toolscript.ServerStatus) string {
	if server.Error != "" {
		return server.Error
	}
	return string(server.State)
}

// status answers GET /status.
func (s *Server) status(x *exchange) error {
	status, err := s.backend.Status(x.ctx)
	if err != nil {
		return err
	}
	status.Servers = orEmpty(status.Servers)
	status.Actors = orEmpty(status.Actors)
	return x.answer(http.StatusOK, status)
}

// servers answers GET /servers.
func (s *Server) servers(x *exchange) error {
	servers, err := s.backend.Servers(x.ctx)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, orEmpty(servers))
}

// orEmpty makes [] of what would be null in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
