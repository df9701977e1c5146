package gateway

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

// NewToken makes a capability of 256 random bits that can stand in a URL.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: the process ends when the system has no randomness
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// checkToken refuses tokens that could be guessed, and no token where others
// than this machine's users can connect.
func checkToken(token string, addr net.Addr) error {
	tcp, ok := addr.(*net.TCPAddr)
	switch {
	case token == "" && (!ok || !tcp.IP.IsLoopback()):
		return &toolscript.Error{
			Kind: toolscript.Forbidden,
			Err:  fmt.Errorf("%s can be reached from other machines, so a token is needed; leave out --no-token, or listen on 127.0.0.1", addr),
		}
	case token != "" && len(token) < minToken:
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("a token needs %d characters or more", minToken)}
	case strings.ContainsAny(token, "/?#% "):
		return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("a token may hold only characters that need no escape in a URL")}
	}
	return nil
}

// admit finds the capability of a request and takes it off the path. It fails
// with errNoRoute when there is none that counts.
func (s *Server) admit(x *exchange) error {
	c := x.c
	first, rest, _ := strings.Cut(strings.TrimPrefix(c.Path(), "/"), "/")
	if s.recognise(x, first) {
		c.Path("/" + rest)
		return nil
	}
	if bearer, ok := bearerOf(c); ok && s.recognise(x, bearer) {
		return nil
	}
	if s.token == "" || c.Path() == healthPath || isCallback(c) {
		return nil
	}
	return errNoRoute
}

// recognise notes whose capability it is, and reports whether it is anybody's.
func (s *Server) recognise(x *exchange, capability string) bool {
	if capability == "" {
		return false
	}
	if s.token != "" && subtle.ConstantTimeCompare([]byte(capability), []byte(s.token)) == 1 {
		return true
	}
	run, allow, ok := s.backend.RunOf(capability)
	if ok {
		x.caller, x.run, x.capability, x.allow = run, run, capability, allow
	}
	return ok
}

func bearerOf(c *fiber.Ctx) (string, bool) {
	scheme, value, ok := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	return strings.TrimSpace(value), ok && strings.EqualFold(scheme, "Bearer")
}

// redact takes capabilities out of a text. They can only get there when a
// client sends them as something else, a tool's name for one.
func (x *exchange) redact(text string) string {
	for _, secret := range []string{x.server.token, x.capability} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return text
}
