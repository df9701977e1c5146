package gateway

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

// The headers that tell what a module was made from. Server names may hold any
// character, so they are escaped as in a query string.
const (
	headerGeneration = "X-Toolscript-Generation" // of the catalog
	headerWaitedFor  = "X-Toolscript-Waited-For" // servers that the request waited for
	headerPending    = "X-Toolscript-Pending"    // servers that still connect, so their tools are missing
)

// module answers GET /runtime/tools.ts. The parameter _t is for the caches of
// others and means nothing here.
func (s *Server) module(x *exchange) error {
	compact, err := x.flag("compact")
	if err != nil {
		return err
	}
	declarations, err := x.flag("declarations")
	if err != nil {
		return err
	}
	if compact && declarations {
		return invalid(`parameters "compact" and "declarations" ask for two forms; give one of them`)
	}
	if err := s.await(x); err != nil {
		return err
	}
	m, err := s.form(x, compact, declarations)
	if err != nil {
		return err
	}
	tag := `"` + m.ETag + `"`
	compress := len(m.Text) >= worthwhile && takesGzip(x.c.Get(fiber.HeaderAcceptEncoding))
	if compress {
		// RFC 9110 §8.8.1: a strong validator "is unique across all versions of all
		// representations", and this is another representation.
		x.c.Set(fiber.HeaderETag, "W/"+tag)
	} else {
		x.c.Set(fiber.HeaderETag, tag)
	}
	x.c.Vary(fiber.HeaderAcceptEncoding)
	x.c.Set(fiber.HeaderCacheControl, "no-cache") // may be kept, but not used without asking
	x.c.Set(headerGeneration, strconv.FormatUint(m.Generation, 10))
	if matches(x.c.Get(fiber.HeaderIfNoneMatch), tag) {
		x.c.Status(http.StatusNotModified)
		return nil
	}
	x.c.Set(fiber.HeaderContentType, "application/typescript")
	if !compress {
		return x.c.SendString(m.Text)
	}
	x.c.Set(fiber.HeaderContentEncoding, "gzip")
	return x.c.Send(s.packed.gzip(m))
}

func (s *Server) form(x *exchange, compact, declarations bool) (toolscript.Module, error) {
	if declarations {
		return s.backend.Declarations(x.ctx, x.visible())
	}
	return s.backend.Types(x.ctx, x.visible(), compact)
}

// await waits for connecting servers when the client asked for it.
func (s *Server) await(x *exchange) error {
	wait, err := x.duration("wait")
	if err != nil || wait == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(x.ctx, wait)
	defer cancel()
	waitedFor, pending := s.backend.Await(ctx, x.filter())
	x.nameServers(headerWaitedFor, waitedFor)
	x.nameServers(headerPending, pending)
	return nil
}

func (x *exchange) nameServers(header string, names []string) {
	if len(names) > 0 {
		x.c.Set(header, joinNames(names))
	}
}

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

func joinNames(names []string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = url.QueryEscape(name)
	}
	return strings.Join(escaped, ",")
}

// splitNames undoes joinNames. What is not escaped properly stays as it is.
func splitNames(header string) []string {
	if header == "" {
		return nil
	}
	names := strings.Split(header, ",")
	for i, name := range names {
		if plain, err := url.QueryUnescape(name); err == nil {
			names[i] = plain
		}
	}
	return names
}
