package api

import (
	"errors"
	"fmt"
	"mime"
	"net"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/toolscript/toolscript"
)

var (
	errHost = &toolscript.Error{
		Kind: toolscript.Forbidden,
		Err:  errors.New("the Host header does not name this gateway; use the address it printed, or start it with --allowed-hosts"),
	}
	errOrigin = &toolscript.Error{
		Kind: toolscript.Forbidden,
		Err:  errors.New("requests of other web pages are refused"),
	}
	errEncoded = &toolscript.Error{
		Kind: toolscript.Unsupported,
		Err:  errors.New("a body with Content-Encoding is refused; send it without"),
	}
)

// guard refuses requests of web pages: requests for another host name (DNS rebinding)
// and requests of another origin. X-Forwarded-Host is ignored.
func (s *Server) guard(c *fiber.Ctx) error {
	local := c.Context().LocalAddr().String()
	// The request line may have a host too, and fasthttp prefers it.
	if !s.isOwnHost(string(c.Request().Host()), local) {
		return errHost
	}
	return s.guardHeader(&c.Request().Header, local, isCallback(c))
}

// guardHeader is the part of guard that needs only the header. login skips the check of
// Sec-Fetch-Site: the redirect of a login comes from another site.
func (s *Server) guardHeader(h *fasthttp.RequestHeader, local string, login bool) error {
	if !s.isOwnHost(string(h.Host()), local) {
		return errHost
	}
	for _, origin := range h.PeekAll(fiber.HeaderOrigin) {
		scheme, host, _ := strings.Cut(strings.ToLower(string(origin)), "://")
		if (scheme != "http" || !s.isOwnHost(host, local)) && (scheme != "https" || !s.isAllowedHost(host)) {
			return errOrigin
		}
	}
	if site := string(h.Peek("Sec-Fetch-Site")); site != "" && site != "none" && site != "same-origin" && !login {
		return errOrigin
	}
	return nil
}

// isOwnHost reports whether host names this gateway: the address of the connection, or a
// loopback name, with the port of the gateway, or an allowed host. A web page can direct
// its own host name to this machine, but none of these names.
func (s *Server) isOwnHost(host, local string) bool {
	if s.isAllowedHost(host) {
		return true
	}
	host = strings.ToLower(host)
	if _, _, err := net.SplitHostPort(host); err != nil {
		host += ":80" // browsers omit it
	}
	own := []string{local, "127.0.0.1:" + s.port, "localhost:" + s.port, "[::1]:" + s.port}
	return slices.Contains(own, host)
}

// isAllowedHost reports whether host is one of Options.Hosts.
func (s *Server) isAllowedHost(host string) bool {
	return slices.ContainsFunc(s.hosts, func(h hostName) bool { return h.is(host) })
}

// requireMedia refuses bodies that a web page may send without a preflight request, and
// compressed bodies, because the limit would not bound their real length. If bytes is set,
// it also accepts application/octet-stream.
func requireMedia(c *fiber.Ctx, bytes bool) error {
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return errEncoded
	}
	sent := c.Get(fiber.HeaderContentType)
	media, _, err := mime.ParseMediaType(sent)
	if err == nil && (media == fiber.MIMEApplicationJSON || bytes && media == fiber.MIMEOctetStream) {
		return nil
	}
	if sent == "" {
		sent = "none"
	}
	return &toolscript.Error{
		Kind: toolscript.Unsupported,
		Err:  fmt.Errorf("a POST needs Content-Type: application/json, even without a body; got %.100q", sent),
	}
}
