package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/tokens"
)

// mostCounted bounds the bytes whose tokens are counted for the lines of one write. Further
// lines have no tokens: under heavy load the count would take too much time.
const mostCounted = 1 << 20

// counter counts tokens for the lines of one write.
type counter struct {
	left int    // bytes that may still be counted
	text []byte // memory of shown
	last [512]counted
}

// counted is a content whose tokens are known. The same content often occurs in several calls.
type counted struct {
	key     uint64 // a part of the hash of the content
	tokens  int
	sampled bool
}

// ofCall counts the arguments or, with answer, the answer of a call. sum is the content's hash.
func (c *counter) ofCall(sum *[sha256.Size]byte, content []byte, answer bool) (n int, sampled, ok bool) {
	key := binary.LittleEndian.Uint64(sum[:])
	at := key % uint64(len(c.last)/2) * 2
	if answer {
		at++
	}
	known := &c.last[at]
	if known.key == key && key != 0 {
		return known.tokens, known.sampled, true
	}
	if answer {
		content = c.shown(content)
	}
	if n, sampled, ok = c.count(content); ok {
		*known = counted{key, n, sampled}
	}
	return n, sampled, ok
}

// count returns the tokens of a content. ok is false if too many bytes were counted before.
func (c *counter) count(content []byte) (n int, sampled, ok bool) {
	if c.left -= min(len(content), tokens.MostExact); c.left < 0 {
		return 0, false, false
	}
	n, exact := tokens.Count(content)
	return n, !exact, true
}

// shown returns the part of an answer that a client without scripts gives to a model: its texts;
// without texts, its structured content. Images and sounds are left out, because their tokens
// do not depend on their bytes. The result is valid until the next use of c.
func (c *counter) shown(answer json.RawMessage) []byte {
	var structured json.RawMessage
	blocks := false
	c.text = c.text[:0]
	err := rawjson.Read(answer, func(in *rawjson.Reader) {
		in.Object(func(name string) {
			switch name {
			case "content", "contents": // member of a tool's answer, and of a resource
				blocks = in.Array(func() { c.block(in) })
			case "structuredContent":
				structured = in.Value()
			}
		})
	})
	switch {
	case err != nil || !blocks && len(structured) == 0:
		return answer
	case len(c.text) == 0:
		return structured
	}
	return c.text
}

// release frees the memory of an unusually long text.
func (c *counter) release() {
	if cap(c.text) > tokens.MostExact {
		c.text = nil
	}
}

// block adds the text of a content block.
func (c *counter) block(in *rawjson.Reader) {
	in.Object(func(name string) {
		if name != "text" {
			return
		}
		if literal := in.Value(); len(literal) > 1 && literal[0] == '"' {
			c.text = rawjson.AppendUnquoted(c.text, literal)
		}
	})
}
