package oauth

import "net/http"

// RingTime and Ring are for tests of the keyring.
const RingTime = ringTime

var Ring = ring

// Via replaces the network between a session and authorization servers.
func (s *Session) Via(way http.RoundTripper) { s.client.Transport = way }
