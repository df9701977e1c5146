package api

import (
	"bytes"
	"math"
	"net"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// received checks a request when its header is complete. The body of a refused request is
// not read: its deadline is set to the past, and enter or refuseUnread answers.
func (s *Server) received(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	s.refused.Delete(h) // an earlier request may have used the same memory without an answer
	config := fasthttp.RequestConfig{
		ReadTimeout:        s.readTimeout,
		MaxRequestBodySize: math.MaxInt, // readBody has the limit; beyond this limit, fasthttp 1.51 reads past the body
	}
	if err := s.inspect(h); err != nil {
		s.refused.Store(h, err)
		h.Del(fiber.HeaderExpect) // otherwise fasthttp asks the client to send the body
		config.ReadTimeout = 1
	}
	return config
}

// verdict returns the error with which received has refused a request, or nil.
func (s *Server) verdict(h *fasthttp.RequestHeader) error {
	if err, refused := s.refused.LoadAndDelete(h); refused {
		return err.(error)
	}
	return nil
}

// inspect checks a header. The handler checks requests without a body, unless their end is
// ambiguous.
func (s *Server) inspect(h *fasthttp.RequestHeader) error {
	if err := framed(h.RawHeaders()); err != nil {
		return err
	}
	size := h.ContentLength() // -1: chunked; -2: absent
	if size == 0 || size == -2 {
		return nil
	}
	local := s.listener.Addr().String()
	if tcp, ok := s.listener.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		if host, _, err := net.SplitHostPort(string(h.Host())); err == nil && net.ParseIP(host) != nil {
			local = strings.ToLower(string(h.Host())) // the handler knows the address
		}
	}
	if err := s.guardHeader(h, local, false); err != nil {
		return err
	}
	uri := fasthttp.AcquireURI()
	defer fasthttp.ReleaseURI(uri)
	if uri.Parse(nil, h.RequestURI()) != nil {
		return errMalformed
	}
	path := string(uri.PathOriginal())
	if _, ok := s.identify(path, string(h.Peek(fiber.HeaderAuthorization))); !ok && s.token != "" {
		if _, ok := s.sessionOf(path, h); !ok && strings.HasPrefix(path, dashboardPath) {
			return errSession
		} else if !ok {
			return errNoRoute
		}
	}
	if size > bodyLimit {
		return refusals[http.StatusRequestEntityTooLarge]
	}
	return nil
}

var (
	errHosts   = invalid("the request has more than one Host header")
	errLengths = invalid("the length of the body is given more than once: by Content-Length and Transfer-Encoding, or by one of them twice")
	errCoding  = invalid("Transfer-Encoding must be chunked")
)

// framed refuses headers that two programs may interpret differently: with different
// hosts or different ends of the request (RFC 9112 §3.2 and §6.3). fasthttp uses the
// last Host, and prefers Transfer-Encoding to Content-Length.
func framed(raw []byte) error {
	hosts, lengths := 0, 0
	for line := range bytes.Lines(raw) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte(fiber.HeaderHost)):
			hosts++
		case bytes.EqualFold(name, []byte(fiber.HeaderContentLength)):
			lengths++
		case bytes.EqualFold(name, []byte(fiber.HeaderTransferEncoding)):
			lengths++
			if !bytes.EqualFold(bytes.TrimSpace(value), []byte("chunked")) {
				return errCoding
			}
		}
	}
	switch {
	case hosts > 1:
		return errHosts
	case lengths > 1:
		return errLengths
	default:
		return nil
	}
}
