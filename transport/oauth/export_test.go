package oauth

import "net/http"

// Via replaces the network between a session and authorization servers.
func (s *Session) Via(way http.RoundTripper) { s.client.Transport = way }
