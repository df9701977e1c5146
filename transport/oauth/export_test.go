package oauth

import "net/http"

// RingTime and CallKeyring are for tests of the keyring.
const RingTime = keyringTime

var CallKeyring = callKeyring

// Via replaces the network between a session and authorization servers.
func (s *Session) Via(way http.RoundTripper) { s.client.Transport = way }
