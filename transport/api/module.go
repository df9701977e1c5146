package api

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// types answers GET /types with a module and how the filter matched, as JSON.
func (s *Server) types(x *exchange) error {
	form := Form(x.query.Get("form"))
	switch form {
	case "":
		form = Full
	case Full, Compact, Declarations:
	default:
		return invalid(`parameter "form" must be %s, %s or %s, not %.50q`, Full, Compact, Declarations, form)
	}
	wait, err := x.wait()
	if err != nil {
		return err
	}
	types, err := x.direct().Types(x.ctx, x.filter(), form, wait)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, types)
}

// module answers GET /runtime/tools.ts. The parameter _t only distinguishes addresses in
// the caches of clients.
func (s *Server) module(x *exchange) error {
	compact, err := x.flag("compact")
	if err != nil {
		return err
	}
	declarations, err := x.flag("declarations")
	if err != nil {
		return err
	}
	form := Full
	switch {
	case compact && declarations:
		return invalid(`parameters "compact" and "declarations" ask for two forms; give one of them`)
	case compact:
		form = Compact
	case declarations:
		form = Declarations
	}
	wait, err := x.wait()
	if err != nil {
		return err
	}
	if _, err := await(x.ctx, x.filter(), wait, s.backend.AwaitLists); err != nil {
		return err
	}
	m, err := x.direct().module(x.ctx, x.filter(), form)
	if err != nil {
		return err
	}
	return x.sendModule(withUnknown(m, s.backend.Select(x.filter(), x.allow).Unknown))
}

// withUnknown puts a comment before the module about filter entries that select nothing.
func withUnknown(m toolscript.Module, entries []naming.UnknownEntry) toolscript.Module {
	if len(entries) == 0 {
		return m
	}
	var b strings.Builder
	for _, u := range entries {
		fmt.Fprintf(&b, "// Unknown: %s.", strconv.QuoteToASCII(u.Entry))
		if len(u.Suggestions) > 0 {
			fmt.Fprintf(&b, " Did you mean %s?", strconv.QuoteToASCII(strings.Join(u.Suggestions, " or ")))
		}
		b.WriteByte('\n')
	}
	m.ETag = fmt.Sprintf("%s-%x", m.ETag, sha256.Sum256([]byte(b.String())))
	m.Text = b.String() + m.Text
	return m
}

func (x *exchange) sendModule(m toolscript.Module) error {
	tag := `"` + m.ETag + `"`
	compress := len(m.Text) >= minCompressed && acceptsGzip(x.c.Get(fiber.HeaderAcceptEncoding)) && !x.fromLoopback()
	if compress {
		// RFC 9110 §8.8.1: a strong validator "is unique across all versions of all representations", and the
		// compressed text is another representation.
		x.c.Set(fiber.HeaderETag, "W/"+tag)
	} else {
		x.c.Set(fiber.HeaderETag, tag)
	}
	x.c.Vary(fiber.HeaderAcceptEncoding)
	x.c.Set(fiber.HeaderCacheControl, "no-cache") // a cache must revalidate the module
	if matches(x.c.Get(fiber.HeaderIfNoneMatch), tag) {
		x.c.Status(http.StatusNotModified)
		return nil
	}
	x.c.Set(fiber.HeaderContentType, "application/typescript")
	if !compress {
		return x.c.SendString(m.Text)
	}
	x.c.Set(fiber.HeaderContentEncoding, "gzip")
	return x.c.Send(x.server.compressed.gzip(m))
}

// fromLoopback reports whether the client is on this machine, where compressing a
// module takes longer than sending it.
func (x *exchange) fromLoopback() bool { return x.c.Context().RemoteIP().IsLoopback() }

// matches reports whether an If-None-Match header names the tag (RFC 9110
// §13.1.2: "a recipient MUST use the weak comparison function").
func matches(header, tag string) bool {
	if strings.TrimSpace(header) == "*" {
		return true
	}
	return slices.ContainsFunc(strings.Split(header, ","), func(one string) bool {
		return strings.TrimPrefix(strings.TrimSpace(one), "W/") == tag
	})
}
