package audit

import (
	"encoding/json"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/texts"
)

// mostCounted bounds the bytes whose tokens are estimated for the lines of one write, which takes
// up to 30 ms. Further lines have no tokens.
const mostCounted = 4 << 20

// counter estimates tokens for the lines of one write.
type counter struct {
	left int    // bytes that may still be counted
	text []byte // memory of shown
}

// ofCall counts the arguments or, with answer, the answer of a call.
func (c *counter) ofCall(content []byte, answer bool) Count {
	if answer {
		content = c.shown(content)
	}
	return c.count(content)
}

// count returns the tokens of a content, or a zero Count if the lines of this write have used up mostCounted.
func (c *counter) count(content []byte) Count {
	if c.left -= len(content); c.left < 0 {
		return Count{}
	}
	n := texts.Tokens(content)
	return Count{&n}
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
	if cap(c.text) > 64<<10 {
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
