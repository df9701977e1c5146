package api

import (
	"net/http"
	"slices"

	"github.com/toolscript/toolscript"
)

// health answers GET /health with the versions of the gateway and of its API. The status
// is 200 even if the servers do not answer.
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

// readinessOf counts a server as failed from its first error until it is connected, so that
// the result does not change with every attempt.
func readinessOf(servers []toolscript.ServerStatus) Readiness {
	r := Readiness{Total: len(servers), Waiting: []string{}, Failed: []FailedServer{}}
	for _, server := range servers {
		switch {
		case server.Disabled:
			r.Total--
		case server.Serves():
			r.Connected++
		case server.State.Connects() && server.Error == "":
			r.Waiting = append(r.Waiting, server.Name)
		default:
			r.Failed = append(r.Failed, FailedServer{Name: server.Name, Error: failureReason(server)})
		}
	}
	r.Ready = r.Connected == r.Total
	return r
}

func failureReason(server toolscript.ServerStatus) string {
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
	status.Actors, status.Attention = orEmpty(status.Actors), orEmpty(status.Attention)
	return x.answer(http.StatusOK, status)
}

// reloadRequest is the body of POST /reload.
type reloadRequest struct {
	Env map[string]string `json:"env,omitempty"` // values of variables that the configuration refers to
}

// reloadVariables is the answer of GET /reload.
type reloadVariables struct {
	Variables []string `json:"variables"` // names in the configuration
}

// variables answers GET /reload with the names of the variables that a POST may send values
// for.
func (s *Server) variables(x *exchange) error {
	names, err := s.backend.Variables(x.ctx)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, reloadVariables{orEmpty(names)})
}

// reload answers POST /reload.
func (s *Server) reload(x *exchange) error {
	var request reloadRequest
	if body := x.body; len(body) > 0 {
		if err := decode(body, &request); err != nil {
			return err
		}
	}
	changed, err := s.backend.Reload(x.ctx, request.Env)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, changed)
}

// planReload answers POST /reload/plan with what POST /reload would do.
func (s *Server) planReload(x *exchange) error {
	var request reloadRequest
	if body := x.body; len(body) > 0 {
		if err := decode(body, &request); err != nil {
			return err
		}
	}
	plan, err := s.backend.PlanReload(x.ctx, request.Env)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, plan)
}

// orEmpty replaces a nil list, which is null in JSON, by an empty list.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
