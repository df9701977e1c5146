package oauth

import (
	"net/url"
	"strconv"

	"github.com/toolscript/toolscript/transport/egress"
)

// CallbackPort returns the port for the redirect URI. If a port is configured, fixed is true.
// Otherwise it is the port of the last registration, so that the registration can be used again,
// or 0 for any port.
func (s *Session) CallbackPort() (port int, fixed bool) {
	if s.config.CallbackPort != 0 {
		return s.config.CallbackPort, true
	}
	known, err := s.current()
	if err != nil || known.Client.Source != Dynamic || len(known.Client.RedirectURIs) == 0 {
		return 0, false
	}
	u, err := url.Parse(known.Client.RedirectURIs[0])
	if err != nil || !egress.IsLoopback(u.Hostname()) {
		return 0, false
	}
	port, err = strconv.Atoi(u.Port())
	if err != nil {
		return 0, false
	}
	return port, false
}

// Lacking reports whether the server has required scopes that the login lacks. Then a new login is
// necessary.
func (s *Session) Lacking() bool {
	known, err := s.current()
	return err == nil && len(known.Wanted) > 0 && lacks(known.Token, known.Wanted)
}
