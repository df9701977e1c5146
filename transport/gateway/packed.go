package gateway

import (
	"mime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"github.com/toolscript/toolscript"
)

// worthwhile is from how many bytes on a module is compressed when the client
// takes that. Types repeat themselves; about a tenth is left.
const worthwhile = 4 << 10

// maxPacked bounds the compressed modules that are kept. A client asks for one
// or two; of 2,000 tools one has 0.3 MB.
const maxPacked = 16

// packed keeps compressed modules by their ETag, so that each is compressed once.
type packed struct {
	mu    sync.Mutex
	texts map[string]func() []byte
	order []string // the oldest first
}

// gzip is the compressed text of a module. Who asks meanwhile waits for it.
func (p *packed) gzip(m toolscript.Module) []byte {
	p.mu.Lock()
	text, ok := p.texts[m.ETag]
	if !ok {
		text = sync.OnceValue(func() []byte {
			return fasthttp.AppendGzipBytesLevel(nil, []byte(m.Text), fasthttp.CompressBestSpeed)
		})
		p.put(m.ETag, text)
	}
	p.mu.Unlock()
	return text()
}

// put keeps the text of a tag that there is none of. It is called with mu held.
func (p *packed) put(tag string, text func() []byte) {
	if p.texts == nil {
		p.texts = map[string]func() []byte{}
	}
	if len(p.order) == maxPacked {
		delete(p.texts, p.order[0])
		p.order = slices.Delete(p.order, 0, 1)
	}
	p.texts[tag] = text
	p.order = append(p.order, tag)
}

// takesGzip reports whether an Accept-Encoding header names gzip, with another
// weight than 0 (RFC 9110 §12.5.3). Of a client that names nothing it is not
// known that it can undo any.
func takesGzip(header string) bool {
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
