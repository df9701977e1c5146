package pin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/toolscript/toolscript"
)

const (
	maxDiff     = 8 << 10  // bytes of the difference of one tool
	maxAll      = 64 << 10 // bytes of the differences of one server
	maxCompared = 256 << 10
)

// parts returns the pinned parts of a tool with their names for a person.
func (t Text) parts() []struct{ name, text string } {
	return []struct{ name, text string }{
		{"title", t.Title},
		{"description", sentences(t.Description)},
		{"input schema", indented(t.Input)},
		{"output schema", indented(t.Output)},
		{"annotations", indented(t.Annotations)},
		{"frontmatter or files", indented(t.Skill)},
	}
}

func indented(schema json.RawMessage) string {
	var text bytes.Buffer
	if json.Indent(&text, schema, "", "  ") != nil {
		return string(schema)
	}
	return text.String()
}

// difference returns the names of the parts that differ, and the differences.
func difference(was, is Text) (names []string, text string) {
	var b strings.Builder
	before := was.parts()
	for i, now := range is.parts() {
		if before[i].text == now.text {
			continue
		}
		names = append(names, now.name)
		fmt.Fprintf(&b, "%s:\n%s", now.name, Lines(before[i].text, now.text))
	}
	return names, b.String()
}

// Lines compares two texts line by line. The result has no header and no numbers, and
// each of its lines begins with "- ", "+ " or two spaces.
func Lines(was, is string) string {
	if len(was)+len(is) > maxCompared {
		return "  (the texts are too long to compare)\n"
	}
	var b strings.Builder
	head := true
	for line := range strings.Lines(string(diff.Diff("was", ended(was), "is", ended(is)))) {
		switch {
		case strings.HasPrefix(line, "@@"):
			if !head {
				b.WriteString("  …\n")
			}
			head = false
		case head, strings.HasPrefix(line, `\ No newline`):
		default:
			b.WriteString(line[:1] + " " + line[1:])
		}
	}
	return b.String()
}

// ended returns a text that ends with a newline and in which hidden characters are escaped.
func ended(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(toolscript.Shown(text) + "\n")
}

// cut shortens a difference to at most most bytes, at the end of a line.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	kept := text[:max(0, strings.LastIndexByte(text[:max(0, most)], '\n')+1)]
	return fmt.Sprintf("%s… %d more lines\n", kept, strings.Count(text[len(kept):], "\n"))
}
