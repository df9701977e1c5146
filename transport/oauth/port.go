package oauth

import (
	"net/url"
	"strconv"
)

// CallbackPort is the port of this machine that a flow should come back to: that
// of the configuration, which is fixed, else that of the last registration, which
// can then be used again, else 0 for any.
func (s *Session) CallbackPort() (port int, fixed bool) {
	if s.config.CallbackPort != 0 {
		return s.config.CallbackPort, true
	}
	known, err := s.current()
	if err != nil || known.Client.Source != Dynamic || len(known.Client.RedirectURIs) == 0 {
		return 0, false
	}
	u, err := url.Parse(known.Client.RedirectURIs[0])
	if err != nil || !isLoopback(u.Hostname()) {
		return 0, false
	}
	port, err = strconv.Atoi(u.Port())
	if err != nil {
		return 0, false
	}
	return port, false
}

// Lacking reports whether the server has asked for scopes that the login does not
// have, so that only another one can help.
func (s *Session) Lacking() bool {
	known, err := s.current()
	return err == nil && len(known.Wanted) > 0 && lacks(known.Token, known.Wanted)
}
