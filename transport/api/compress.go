package api

import (
	"mime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"github.com/toolscript/toolscript"
)

// minCompressed is the length in bytes from which modules are compressed. Types are
// repetitive: they shrink to about a tenth.
const minCompressed = 4 << 10

// maxCompressed is the maximum number of cached modules. A client asks for one or two; the
// module of 2,000 tools has 0.3 MB.
const maxCompressed = 16

// compressedModules caches compressed modules by ETag.
type compressedModules struct {
	mu    sync.Mutex
	texts map[string]func() []byte
	order []string // the oldest first
}

// gzip returns the compressed text. Concurrent callers wait for one computation.
func (c *compressedModules) gzip(m toolscript.Module) []byte {
	c.mu.Lock()
	text, ok := c.texts[m.ETag]
	if !ok {
		text = sync.OnceValue(func() []byte {
			return fasthttp.AppendGzipBytesLevel(nil, []byte(m.Text), fasthttp.CompressBestSpeed)
		})
		c.put(m.ETag, text)
	}
	c.mu.Unlock()
	return text()
}

// put adds an entry. It is called with mu held.
func (c *compressedModules) put(tag string, text func() []byte) {
	if c.texts == nil {
		c.texts = map[string]func() []byte{}
	}
	if len(c.order) == maxCompressed {
		delete(c.texts, c.order[0])
		c.order = slices.Delete(c.order, 0, 1)
	}
	c.texts[tag] = text
	c.order = append(c.order, tag)
}

// acceptsGzip reports whether an Accept-Encoding header names gzip with a weight
// above 0 (RFC 9110 §12.5.3).
func acceptsGzip(header string) bool {
	for one := range strings.SplitSeq(header, ",") {
		coding, parameters, err := mime.ParseMediaType(one)
		if err != nil || coding != "gzip" {
			continue
		}
		weight, weighted := parameters["q"]
		q, err := strconv.ParseFloat(weight, 64)
		return !weighted || err == nil && q > 0
	}
	return false
}
