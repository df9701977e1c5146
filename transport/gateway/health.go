package gateway

import (
	"net/http"
	"slices"

	"github.com/toolscript/toolscript"
)

// health answers GET /health: that the gateway runs, and which contract it
// speaks. It is 200 also when the servers cannot be asked.
func (s *Server) health(x *exchange) error {
	return x.answer(http.StatusOK, Health{
		Status:   "ok",
		Version:  toolscript.Version,
		Protocol: toolscript.Protocol,
		Search:   s.backend.SearchStatus(),
	})
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

// readinessOf counts a server as failed from an error until it is connected, so
// that one that tries again and again does not change sides with every try.
func readinessOf(servers []toolscript.ServerStatus) Readiness {
	r := Readiness{Total: len(servers), Waiting: []string{}, Failed: []FailedServer{}}
	for _, server := range servers {
		switch {
		case server.State == toolscript.Ready:
			r.Connected++
		case server.State == toolscript.Connecting && server.Error == "":
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
	status.Servers = orEmpty(slices.Clone(status.Servers))
	for i := range status.Servers {
		status.Servers[i].LastError = status.Servers[i].Error
	}
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

// reload answers POST /reload.
func (s *Server) reload(x *exchange) error {
	changed, err := s.backend.Reload(x.ctx)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, changed)
}

// orEmpty makes [] of what would be null in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
