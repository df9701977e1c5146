package api

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

// NewToken returns a capability of 256 random bits in characters that are safe in a URL.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: without randomness, the process ends
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// checkToken refuses tokens that could be guessed. Without a token, the address must be
// a loopback address.
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
		return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("a token may have only characters that need no escape in a URL")}
	}
	return nil
}

// admit removes the capability from the path of a request. Without a valid capability it
// returns errNoRoute, unless the request belongs to the operator page.
func (s *Server) admit(x *exchange) error {
	c := x.c
	who, ok := s.identify(c.Path(), c.Get(fiber.HeaderAuthorization))
	if ok {
		x.caller, x.run, x.capability, x.allow = who.run, who.run, who.capability, who.allow
	}
	if who.inPath {
		_, rest, _ := strings.Cut(strings.TrimPrefix(c.Path(), "/"), "/")
		c.Path("/" + rest)
	}
	if !ok {
		_, ok = s.session(x)
	}
	if conn, own := c.Context().Conn().(*conn); own && (ok || s.token == "") {
		conn.recognised()
	}
	if ok || s.token == "" || c.Path() == healthPath || isCallback(c) || isPageFile(c) {
		return nil
	}
	if strings.HasPrefix(c.Path(), dashboardPath) {
		return errSession
	}
	return errNoRoute
}

// holder is the owner of a capability: a run, or the user if run is empty.
type holder struct {
	inPath     bool
	run        string
	capability string // capability of the run
	allow      toolscript.Filter
}

// identify finds the owner of the capability in a path or in an Authorization header.
func (s *Server) identify(path, authorization string) (holder, bool) {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if who, ok := s.recognise(first); ok {
		who.inPath = true
		return who, true
	}
	scheme, bearer, ok := strings.Cut(authorization, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return holder{}, false
	}
	return s.recognise(strings.TrimSpace(bearer))
}

func (s *Server) recognise(capability string) (holder, bool) {
	if capability == "" {
		return holder{}, false
	}
	if s.token != "" && subtle.ConstantTimeCompare([]byte(capability), []byte(s.token)) == 1 {
		return holder{}, true
	}
	run, allow, ok := s.backend.RunOf(capability)
	if !ok {
		return holder{}, false
	}
	return holder{run: run, capability: capability, allow: allow}, true
}

// redact removes capabilities from a text. A client may have sent a capability in another
// place, for example as the name of a tool.
func (x *exchange) redact(text string) string {
	for _, secret := range []string{x.server.token, x.capability} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return text
}
