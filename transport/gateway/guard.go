package gateway

import (
	"errors"
	"fmt"
	"mime"
	"net"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

var (
	errHost = &toolscript.Error{
		Kind: toolscript.Forbidden,
		Err:  errors.New("the Host header does not name this gateway; use the address it printed"),
	}
	errOrigin = &toolscript.Error{
		Kind: toolscript.Forbidden,
		Err:  errors.New("requests of other web pages are refused"),
	}
	errEncoded = &toolscript.Error{
		Kind: toolscript.Unsupported,
		Err:  errors.New("a body with Content-Encoding is not taken; send it as it is"),
	}
)

// guard refuses what a web page could send: requests to another host name (DNS
// rebinding) and requests of another origin. X-Forwarded-Host has no say.
func (s *Server) guard(c *fiber.Ctx) error {
	local := c.Context().LocalAddr()
	// The request line may name a host too, and fasthttp then prefers it.
	if !s.isOwnHost(string(c.Request().Header.Host()), local) || !s.isOwnHost(string(c.Request().Host()), local) {
		return errHost
	}
	for _, origin := range c.Request().Header.PeekAll(fiber.HeaderOrigin) {
		host, ok := strings.CutPrefix(strings.ToLower(string(origin)), "http://")
		if !ok || !s.isOwnHost(host, local) {
			return errOrigin
		}
	}
	// A browser says same-site for another port of this machine.
	if site := c.Get("Sec-Fetch-Site"); site != "" && site != "none" && site != "same-origin" && !isCallback(c) {
		return errOrigin
	}
	return nil
}

// isOwnHost reports whether host is a name of this gateway: the address the
// client connected to, or a loopback name, with our port. A page can make a
// name of its own lead here, but neither an address nor localhost.
func (s *Server) isOwnHost(host string, local net.Addr) bool {
	host = strings.ToLower(host)
	if _, _, err := net.SplitHostPort(host); err != nil {
		host += ":80" // which browsers leave out
	}
	own := []string{local.String(), "127.0.0.1:" + s.port, "localhost:" + s.port, "[::1]:" + s.port}
	return slices.Contains(own, host)
}

// requireJSON refuses bodies that a page may send without asking first, and
// compressed ones, whose size the body limit would not bound.
func requireJSON(c *fiber.Ctx) error {
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return errEncoded
	}
	sent := c.Get(fiber.HeaderContentType)
	media, _, err := mime.ParseMediaType(sent)
	if err == nil && media == fiber.MIMEApplicationJSON {
		return nil
	}
	if sent == "" {
		sent = "none"
	}
	return &toolscript.Error{
		Kind: toolscript.Unsupported,
		Err:  fmt.Errorf("a POST needs Content-Type: application/json, also without a body; got %.100q", sent),
	}
}
