package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/texts"
)

// maxDepth is the maximum nesting depth, far more than the format needs.
const maxDepth = 64

// document is one file as a tree with positions. The file may have comments and trailing
// commas.
type document struct {
	path     string
	text     []byte
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

	accounts []string // of a server for one account: all accounts of the server
	misnamed bool     // of a server: its name has the separator of accounts

	unknown bool // the schema does not know the field, which has no effect
}

// object is a JSON object. Of a repeated key it keeps the last value, as encoding/json does.
type object struct {
	names  []string // in the order of the file
	fields map[string]*node
}

// parse parses a whole file. The error is a *Mistake.
func parse(path string, text []byte) (*document, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // editors on Windows write a byte order mark
	d := &document{path: path, text: text}
	if texts.IsUTF16(text) {
		return nil, d.mistakeAt(0, fmt.Sprint("this is ", texts.CheckUTF8(text)))
	}
	if at := invalidUTF8(text); at >= 0 {
		return nil, d.syntaxError(at, "this is not UTF-8 text")
	}
	root, err := rawjson.ParseCommented(text)
	switch {
	case err != nil:
		return nil, d.explain(err)
	case root.Value == nil:
		return nil, d.mistakeAt(0, `the file is empty; the smallest configuration is {"mcpServers": {}}`)
	}
	if d.root, err = d.node(root, nil); err != nil {
		return nil, err
	}
	d.convertScalars()
	d.expandAccounts()
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

// explain converts a syntax error to a mistake with a position.
func (d *document) explain(err error) *Mistake {
	var syntax *rawjson.SyntaxError
	switch {
	case !errors.As(err, &syntax):
		return d.mistakeAt(0, err.Error())
	case syntax.Offset == len(d.text):
		end := len(bytes.TrimRight(d.text, space))
		return d.syntaxError(end, syntax.Error()+"; a bracket, a brace or a quotation mark is not closed")
	default:
		return d.syntaxError(syntax.Offset, syntax.Error()+d.advice(syntax.Offset))
	}
}

// space has the characters that JSON allows between tokens.
const space = " \t\r\n"

// advice explains the most frequent syntax errors.
func (d *document) advice(at int) string {
	before := bytes.TrimRight(d.text[:at], space)
	switch c := d.text[at]; {
	case c == '/' && bytes.HasPrefix(d.text[at:], []byte("/*")):
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

// node converts a value of the file.
func (d *document) node(v hujson.Value, location []string) (n *node, err error) {
	n = &node{at: v.StartOffset, key: v.StartOffset}
	if len(location) > maxDepth {
		return nil, d.mistakeAt(n.at, fmt.Sprintf("nested more than %d levels deep", maxDepth))
	}
	switch v := v.Value.(type) {
	case *hujson.Object:
		n.value, err = d.object(v, location)
	case *hujson.Array:
		n.value, err = d.list(v, location)
	case hujson.Literal:
		if n.value = scalar(v); n.value != nil {
			n.written = v.String()
		}
	}
	return n, err
}

func (d *document) object(from *hujson.Object, location []string) (*object, error) {
	o := &object{fields: map[string]*node{}}
	for _, m := range from.Members {
		name := m.Name.Value.(hujson.Literal).String()
		inner := append(location[:len(location):len(location)], name)
		n, err := d.node(m.Value, inner)
		if err != nil {
			return nil, err
		}
		n.key = m.Name.StartOffset
		if _, ok := o.fields[name]; ok {
			d.repeated = append(d.repeated, inner)
		} else {
			o.names = append(o.names, name)
		}
		o.fields[name] = n
	}
	return o, nil
}

func (d *document) list(from *hujson.Array, location []string) ([]*node, error) {
	list := []*node{}
	for i, item := range from.Elements {
		n, err := d.node(item, append(location[:len(location):len(location)], strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// scalar returns the value of a literal.
func scalar(v hujson.Literal) any {
	switch v.Kind() {
	case '"':
		return v.String()
	case 't', 'f':
		return v.Bool()
	case '0':
		return number(json.Number(v))
	}
	return nil
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
