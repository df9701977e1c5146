package pin

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// PatternsVersion changes when Suspicions may have other findings for the same texts.
const PatternsVersion = 1

// Bounds of one tool. A longer text is scanned up to its bound.
const (
	maxText     = 64 << 10 // bytes of a text
	maxTexts    = 4000     // texts of a tool
	maxFindings = 20       // findings in a tool
	maxExcerpt  = 160      // characters of an excerpt
	maxDepth    = 64       // depth of a schema
)

// Suspicions finds texts of a tool that look like an attempt to instruct a model, and characters
// that a person does not see. It examines the name, the title, the description, and the schemas or
// the frontmatter. A
// tool without a finding may still be an attack, and one with a finding may be harmless: a person
// judges.
func Suspicions(t toolscript.Tool) []toolscript.Suspicion {
	s := scan{tool: t.Name}
	s.name("name", t.Name)
	s.text("title", t.Title)
	s.text("description", t.Description)
	s.schema("inputSchema", t.InputSchema)
	s.schema("outputSchema", t.OutputSchema)
	if t.Skill != nil {
		s.skill(*t.Skill)
	}
	return s.found
}

// skill examines what the frontmatter of a skill has in addition to the name and the description,
// and the names of its files.
func (s *scan) skill(k toolscript.Skill) {
	var rest map[string]any
	if json.Unmarshal(k.Frontmatter, &rest) == nil {
		delete(rest, "name")
		delete(rest, "description")
		s.walk("frontmatter", rest, 0)
	}
	for _, f := range k.Files {
		s.name("files", f.URI)
	}
}

// SuspicionsOfText examines the instructions of a server.
func SuspicionsOfText(text string) []toolscript.Suspicion {
	var s scan
	s.text("instructions", text)
	return s.found
}

// SuspicionsOfFile examines a file of a skill.
func SuspicionsOfFile(skill, file, text string) []toolscript.Suspicion {
	s := scan{tool: skill}
	s.text(file, text)
	return s.found
}

// scan collects the findings of one tool.
type scan struct {
	tool  string
	texts int
	found []toolscript.Suspicion
}

// schema examines the names and texts of a JSON schema.
func (s *scan) schema(where string, schema json.RawMessage) {
	var value any
	if len(schema) == 0 || json.Unmarshal(schema, &value) != nil {
		return
	}
	s.walk(where, value, 0)
}

func (s *scan) walk(where string, value any, depth int) {
	if s.texts++; s.texts > maxTexts || depth > maxDepth {
		return
	}
	switch v := value.(type) {
	case string:
		s.text(where, v)
	case []any:
		for i, item := range v {
			s.walk(fmt.Sprintf("%s/%d", where, i), item, depth+1)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := where + "/" + visible(name)
			s.name(at, name)
			s.walk(at, v[name], depth+1)
		}
	}
}

// name checks that a name has no hidden characters and has letters of only one script.
func (s *scan) name(where, name string) {
	if at := strings.IndexFunc(name, concealed); at >= 0 {
		s.add(where, shapeOf([]rune(name[at:])[0]), name, at)
		return
	}
	if latin, other := scripts(name); latin && other >= 0 {
		s.add(where, "mixed-scripts", name, other)
	}
}

// text examines a text. It adds one finding for each shape.
func (s *scan) text(where, text string) {
	text = texts.Cut(text, maxText)
	s.hidden(where, text)
	plain := strings.Map(func(r rune) rune { // hidden characters cannot break up a word
		if concealed(r) {
			return -1
		}
		return r
	}, text)
	lower := strings.ToLower(plain)
	for _, p := range patterns {
		if !slices.ContainsFunc(p.words, func(word string) bool { return strings.Contains(lower, word) }) {
			continue
		}
		if at := p.shape().FindStringIndex(plain); at != nil {
			s.add(where, p.name, plain, at[0])
		}
	}
}

// hidden finds the first character of each shape that a person does not see.
func (s *scan) hidden(where, text string) {
	if isASCII(text) {
		return
	}
	seen := map[string]bool{}
	runes := []rune(text)
	for i, r := range runes {
		if !concealed(r) || harmless(runes, i) {
			continue
		}
		if shape := shapeOf(r); !seen[shape] {
			seen[shape] = true
			s.add(where, shape, text, len(string(runes[:i])))
		}
	}
}

// add adds a finding with the text around at.
func (s *scan) add(where, shape, text string, at int) {
	if len(s.found) == maxFindings {
		return
	}
	from := max(0, at-maxExcerpt/4)
	runes := []rune(strings.ToValidUTF8(text[from:], ""))
	excerpt := visible(string(runes[:min(len(runes), maxExcerpt)]))
	s.found = append(s.found, toolscript.Suspicion{Tool: s.tool, Where: where, Shape: shape, Text: strings.Join(strings.Fields(excerpt), " ")})
}

// The shapes of hidden characters.
const (
	shapeTags      = "unicode-tags"
	shapeBidi      = "bidi"
	shapeZeroWidth = "zero-width"
	shapeControl   = "control-characters"
)

// concealed reports whether a person does not see a character.
func concealed(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\n' && r != '\t' && r != '\r'
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func shapeOf(r rune) string {
	switch {
	case 0xE0000 <= r && r <= 0xE0FFF:
		return shapeTags
	case '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\u061c':
		return shapeBidi
	case unicode.Is(unicode.Cc, r):
		return shapeControl
	default:
		return shapeZeroWidth
	}
}

// harmless reports whether a character is a part of a visible one: a joiner between
// letters of scripts that need it or in an emoji, the variation selector after a symbol,
// or a byte order mark at the start.
func harmless(text []rune, i int) bool {
	before, after := ' ', ' '
	if i > 0 {
		before = text[i-1]
	}
	if i+1 < len(text) {
		after = text[i+1]
	}
	switch text[i] {
	case '\ufe0e', '\ufe0f':
		return before > 0x7f || before == '#' || before == '*' || unicode.IsDigit(before)
	case '\u200c', '\u200d':
		return before > 0x2ff && after > 0x2ff
	case '\ufeff':
		return i == 0
	default:
		return false
	}
}

// scripts reports whether a name has Latin letters, and returns the place of the first Cyrillic
// or Greek letter, which may look alike; -1 if there is none.
func scripts(name string) (latin bool, other int) {
	other = -1
	for i, r := range name {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin = true
		case other < 0 && unicode.In(r, unicode.Cyrillic, unicode.Greek):
			other = i
		}
	}
	return latin, other
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 || text[i] < ' ' && text[i] != '\n' && text[i] != '\t' && text[i] != '\r' {
			return false
		}
	}
	return true
}

// visible writes hidden characters as \u{…}.
func visible(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if concealed(r) {
			fmt.Fprintf(&b, `\u{%X}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// pattern is a known shape of poisoned texts. Only texts with one of the words are compared
// with it.
type pattern struct {
	name  string
	words []string // in lower case
	shape func() *regexp.Regexp
}

// shape compiles an expression when it is first used: most processes of this program
// examine no texts.
func shape(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
