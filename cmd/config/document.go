package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// maxDepth is the maximum nesting depth, far more than the format needs.
const maxDepth = 64

// document is one file as a tree with positions. The file may have comments and trailing
// commas.
type document struct {
	path     string
	text     []byte
	plain    []byte // text with blanks in the place of comments and trailing commas
	root     *node
	repeated [][]string // locations of keys that occur more than once in an object
}

// node is one JSON value.
type node struct {
	value any // nil, bool, int64, float64, string, []*node or *object
	at    int // offset of the first byte
	key   int // offset of the key, or of the value if it has no key

	written string   // of a string: its text before expansion; of another scalar: its text in the file
	unset   []string // of a string: the names of variables and secrets that have no value

	used     map[string]string // of a string: the values of its variables and secrets, by name
	withheld map[string]error  // of a string: why it does not get a secret, by name
	address  bool              // of a string: it is a URL, in which secrets are escaped
	home     *homeFolder       // of a string: what a leading ~ stands for
}

// object is a JSON object. Of a repeated key it keeps the last value, as encoding/json does.
type object struct {
	names  []string // in the order of the file
	fields map[string]*node
}

// parse parses a whole file. The error is a *Mistake.
func parse(path string, text []byte) (*document, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // editors on Windows write a byte order mark
	d := &document{path: path, text: text, plain: rawjson.WithoutComments(text).Plain}
	if len(bytes.TrimSpace(d.plain)) == 0 {
		return nil, d.mistakeAt(0, `the file is empty; the smallest configuration is {"mcpServers": {}}`)
	}
	if at := invalidUTF8(text); at >= 0 {
		return nil, d.syntaxError(at, "this is not UTF-8 text")
	}
	// The scan finds all syntax errors, so the tokens below have none.
	if err := json.Unmarshal(d.plain, new(json.RawMessage)); err != nil {
		return nil, d.explain(err)
	}
	b := builder{document: d, tokens: json.NewDecoder(bytes.NewReader(d.plain))}
	b.tokens.UseNumber()
	root, err := b.value(nil)
	if err != nil {
		return nil, err
	}
	d.root = root
	d.convertScalars()
	return d, nil
}

func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// explain converts an error of encoding/json to a mistake with a position.
func (d *document) explain(err error) *Mistake {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return d.mistakeAt(0, err.Error())
	}
	if strings.HasPrefix(syntax.Error(), "unexpected end") {
		end := len(bytes.TrimRight(d.plain, space))
		return d.syntaxError(end, syntax.Error()+"; a bracket, a brace or a quotation mark is not closed")
	}
	at := max(int(syntax.Offset)-1, 0) // Offset points behind the wrong byte
	return d.syntaxError(at, syntax.Error()+d.advice(at))
}

// space has the characters that JSON allows between tokens.
const space = " \t\r\n"

// advice explains the most frequent syntax errors.
func (d *document) advice(at int) string {
	before := bytes.TrimRight(d.plain[:at], space)
	switch c := d.plain[at]; {
	case c == '/' && bytes.HasPrefix(d.plain[at:], []byte("/*")):
		return "; the comment has no end"
	case c == '#':
		return "; a comment begins with //"
	case c == '\'':
		return "; JSON has double quotes only"
	case (c == '}' || c == ']') && bytes.HasSuffix(before, []byte(",")):
		return "; remove the comma before it"
	case c == '"' && len(before) > 0 && bytes.IndexByte([]byte(`"}]`), before[len(before)-1]) >= 0:
		return "; a comma is missing before it"
	default:
		return ""
	}
}

func (d *document) mistakeAt(offset int, message string) *Mistake {
	line, column := position(d.text, offset)
	return &Mistake{Path: d.path, Line: line, Column: column, Message: message}
}

func (d *document) syntaxError(offset int, message string) *Mistake {
	m := d.mistakeAt(offset, message)
	m.Excerpt = excerpt(d.text, offset)
	return m
}

// builder builds the tree from JSON tokens.
type builder struct {
	*document
	tokens *json.Decoder
}

func (b *builder) value(location []string) (*node, error) {
	at := b.next()
	n := &node{at: at, key: at}
	if len(location) > maxDepth {
		return nil, b.mistakeAt(at, fmt.Sprintf("nested more than %d levels deep", maxDepth))
	}
	token, err := b.tokens.Token()
	if err != nil {
		return nil, b.explain(err)
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			n.value, err = b.object(location)
		} else {
			n.value, err = b.list(location)
		}
	case json.Number:
		n.value, n.written = number(token), token.String()
	case bool:
		n.value, n.written = token, strconv.FormatBool(token)
	case string:
		n.value, n.written = token, token
	default:
		n.value = token
	}
	return n, err
}

func (b *builder) object(location []string) (*object, error) {
	o := &object{fields: map[string]*node{}}
	for b.tokens.More() {
		key := b.next()
		token, err := b.tokens.Token()
		if err != nil {
			return nil, b.explain(err)
		}
		name, _ := token.(string) // the scan allows only strings here
		inner := append(location[:len(location):len(location)], name)
		n, err := b.value(inner)
		if err != nil {
			return nil, err
		}
		n.key = key
		if _, ok := o.fields[name]; ok {
			b.repeated = append(b.repeated, inner)
		} else {
			o.names = append(o.names, name)
		}
		o.fields[name] = n
	}
	_, err := b.tokens.Token()
	return o, err
}

func (b *builder) list(location []string) ([]*node, error) {
	list := []*node{}
	for b.tokens.More() {
		n, err := b.value(append(location[:len(location):len(location)], strconv.Itoa(len(list))))
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	_, err := b.tokens.Token()
	return list, err
}

// number returns an int64 if possible: the validator computes with big fractions, which a
// text such as 1e99999 would make slow. A number out of range becomes the largest float64,
// which no field allows.
func number(text json.Number) any {
	if i, err := text.Int64(); err == nil {
		return i
	}
	f, _ := text.Float64() // infinite if it is out of range
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}

// next returns the offset of the next token.
func (b *builder) next() int {
	at := int(b.tokens.InputOffset())
	return at + len(b.plain[at:]) - len(bytes.TrimLeft(b.plain[at:], space+",:"))
}
