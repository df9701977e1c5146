package api

import (
	"net/http"
)

// PinAcceptance names the server or the tool that a person is asked to accept. It is the body of POST /pins/accept.
type PinAcceptance struct {
	Server string `json:"server"`
	Tool   string `json:"tool,omitempty"` // the server's own name; absent: the server with all its tools
}

// acceptPins answers POST /pins/accept with a request for approval. Only an answer to
// that request accepts the change.
func (s *Server) acceptPins(x *exchange) error {
	var what PinAcceptance
	if err := decode(x.body, &what); err != nil {
		return err
	}
	request, err := s.backend.AcceptPins(x.ctx, what.Server, what.Tool)
	if err != nil {
		return err
	}
	return x.answer(http.StatusAccepted, request)
}
