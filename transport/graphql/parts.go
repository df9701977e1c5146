package graphql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

// parse parses a schema in the schema definition language. If that fails, it parses each definition
// alone, and each field of a broken type alone. It leaves out parts that cannot be parsed, with a
// warning.
func (s *schema) parse(name, text string) (*ast.SchemaDocument, error) {
	whole, err := parser.ParseSchema(&ast.Source{Name: name, Input: text})
	if err == nil {
		return whole, nil
	}
	failed := err
	whole = &ast.SchemaDocument{}
	begins, next := definitions(text), 1
	for i, begin := range begins {
		end := len(text)
		if i+1 < len(begins) {
			end = begins[i+1]
		}
		part, line := text[begin:end], next
		if i == 0 {
			line += strings.Count(text[:begin], "\n")
		}
		next = line + strings.Count(part, "\n")
		read, err := parser.ParseSchema(&ast.Source{Name: name, Input: part})
		if err == nil {
			whole.Merge(read)
			continue
		}
		message := err.Error()
		if at := (*gqlerror.Error)(nil); errors.As(err, &at) && len(at.Locations) > 0 {
			line, message = line+at.Locations[0].Line-1, at.Message
		}
		head, fields := fieldsOf(part)
		what := strings.Join(strings.Fields(head), " ")
		s.warn("line %d: %s: the invalid part is left out: %s", line, what, message)
		switch words := strings.Fields(strings.TrimPrefix(what, "extend ")); {
		case len(words) < 2 || words[0] != "type" && words[0] != "interface" && words[0] != "union":
			continue // a missing type accepts any value, and a missing directive has no effect
		case what == words[0]+" "+words[1]: // a type without a body: keep it without fields
			fields = append(fields, "")
		}
		for _, field := range fields {
			if field != "" {
				field = "{" + field + "\n}"
			}
			if read, err := parser.ParseSchema(&ast.Source{Name: name, Input: head + field}); err == nil && len(read.Definitions)+len(read.Extensions) == 1 {
				whole.Merge(read)
			}
		}
	}
	if len(whole.Definitions)+len(whole.Extensions) == 0 {
		return nil, fmt.Errorf("%w", failed)
	}
	return whole, nil
}

// scan calls token for each token of a text in the definition language, except comments and
// commas. An unterminated string extends to the end of its line.
func scan(text string, token func(begin, end int)) {
	for begin := 0; begin < len(text); {
		end := begin + 1
		switch c := text[begin]; {
		case strings.IndexByte(" \t\r\n,", c) >= 0:
			begin = end
			continue
		case c == '#':
			for end < len(text) && text[end] != '\n' && text[end] != '\r' {
				end++
			}
			begin = end
			continue
		case strings.HasPrefix(text[begin:], `"""`):
			end = blockEnd(text, begin+3)
		case c == '"':
			for end < len(text) && text[end] != '"' && text[end] != '\n' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if end = min(end, len(text)); end < len(text) && text[end] == '"' {
				end++
			}
		case letter(c):
			for end < len(text) && (letter(text[end]) || '0' <= text[end] && text[end] <= '9') {
				end++
			}
		}
		token(begin, end)
		begin = end
	}
}

// blockEnd returns the end of a block string whose text begins at from, or from if it does not end.
func blockEnd(text string, from int) int {
	for at := from; ; {
		next := strings.Index(text[at:], `"""`)
		switch {
		case next < 0:
			return from
		case next == 0 || text[at+next-1] != '\\':
			return at + next + 3
		}
		at += next + 3
	}
}

func letter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// lead returns the white space before an offset. only reports that there is nothing else before it on the line.
func lead(text string, at int) (space string, only bool) {
	begin := at
	for begin > 0 && (text[begin-1] == ' ' || text[begin-1] == '\t') {
		begin--
	}
	return text[begin:at], begin == 0 || text[begin-1] == '\n' || text[begin-1] == '\r'
}

// nested returns the depth of brackets after a token.
func nested(depth int, token string) int {
	switch token {
	case "{", "(", "[":
		return depth + 1
	case "}", ")", "]":
		return max(0, depth-1)
	}
	return depth
}

// definitions returns the offsets at which the definitions of a schema begin. A definition at the
// beginning of a line ends the previous definition, even if the closing bracket of that is missing.
func definitions(text string) (begins []int) {
	var (
		depth     int
		last      string // the previous token
		began     = -1   // where a definition begins if last is its keyword
		described = -1   // where last begins if it is a string
	)
	scan(text, func(begin, end int) {
		word := text[begin:end]
		first := len(begins) == 0
		if began >= 0 && (letter(word[0]) || word == "@" || word == "{" && last == "schema") {
			begins, first, depth = append(begins, began), false, 0
			began = -1
		} else {
			began = -1
			space, only := lead(text, begin)
			switch word {
			case "schema", "scalar", "type", "interface", "union", "enum", "input", "directive", "extend":
				if !strings.Contains(":=|&@([", last) || last == "" || described >= 0 {
					if depth == 0 || only && space == "" {
						if began = begin; described >= 0 {
							began = described
						}
					}
				}
			}
		}
		if first && began < 0 && word[0] != '"' {
			begins = append(begins, begin) // text before the first definition
		}
		depth, last, described = nested(depth, word), word, -1
		if word[0] == '"' {
			described = begin
		}
	})
	return begins
}

// fieldsOf returns the keywords and the name of a definition, and the texts of the fields in its
// body. A field begins with a name before ":" or "(", or with a name at the beginning of a line.
func fieldsOf(part string) (head string, fields []string) {
	p := fieldScan{part: part, start: -1, body: -1}
	scan(part, p.take)
	if p.body < 0 {
		p.body = len(part)
	}
	for i, at := range p.begins {
		end := p.body
		if i+1 < len(p.begins) {
			end = p.begins[i+1]
		}
		fields = append(fields, part[at:max(at, end)])
	}
	if p.head == "" {
		p.head = part[:min(len(part), 40)]
	}
	return p.head, fields
}

// fieldScan finds the head and the begins of the fields of one definition.
type fieldScan struct {
	part         string
	depth        int
	before, last word
	start        int    // where the head begins; -1: not yet
	words        int    // words of the head that are missing
	head         string // "" before its end
	begins       []int  // where the fields begin
	indent       string // indentation of the first field
	indented     bool
	body         int // where the body ends; -1: not yet
}

// word is a token of the document.
type word struct {
	begin int
	text  string
}

// take processes the token between two offsets.
func (p *fieldScan) take(from, to int) {
	now := word{from, p.part[from:to]}
	switch space, only := lead(p.part, from); {
	case p.body >= 0:
	case p.depth == 0 && letter(now.text[0]) && p.start < 0:
		p.start, p.words = from, 1
		if now.text == "extend" || now.text == "directive" {
			p.words = 2
		}
	case p.depth == 0 && p.words > 0:
		if p.words--; p.words == 0 {
			p.head = p.part[p.start:to]
		}
	case p.depth == 1 && (now.text == ":" || now.text == "(") && p.last.text != "" && letter(p.last.text[0]) && p.before.text != "@":
		p.begin(p.before, p.last)
	case p.depth >= 1 && only && letter(now.text[0]) && (p.depth == 1 || p.indented && space == p.indent) && !strings.Contains(":@=|&", p.last.text):
		if !p.indented {
			p.indent, p.indented = space, true
		}
		p.depth = 1
		p.begin(p.last, now)
	}
	if p.depth = nested(p.depth, now.text); p.depth == 0 && now.text == "}" && p.body < 0 {
		p.body = from
	}
	p.before, p.last = p.last, now
}

// begin adds a field with its name, and with the description before it.
func (p *fieldScan) begin(before, name word) {
	at := name.begin
	if before.text != "" && before.text[0] == '"' {
		at = before.begin
	}
	if !slices.Contains(p.begins[max(0, len(p.begins)-1):], at) {
		p.begins = append(p.begins, at)
	}
}
