package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/egress"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxDocument is the maximum size of a document, in bytes. GitHub's has 13 MB.
const maxDocument = 64 << 20

// maxFiles is the maximum number of files that one document refers to.
const maxFiles = 200

// library reads a document and the documents to which it refers. It is not safe for concurrent use.
type library struct {
	ctx     context.Context //nolint:containedctx // the context of one Dial
	client  *http.Client
	root    string       // path or URL of the first document
	project files.Folder // folder beneath which a path is resolved
	read    map[string][]byte
	get     func(at string) ([]byte, error) // returns the text of a document

	failed  map[string]error             // errors of documents that could not be read
	anchors map[string]map[string][]byte // for each document: schemas by anchor
	objects map[place]map[string][]byte  // members of objects that references lead through
	arrays  map[place][][]byte           // items of arrays that references lead through
}

func newLibrary(ctx context.Context, client *http.Client, project files.Folder, root string) *library {
	l := &library{ctx: ctx, client: client, project: project, root: root, read: map[string][]byte{}, failed: map[string]error{}, anchors: map[string]map[string][]byte{}, objects: map[place]map[string][]byte{}, arrays: map[place][][]byte{}}
	l.get = l.fetch
	return l
}

// load returns a document as JSON. at is the path of a file or a URL. load only reads documents in
// the folder of the first document, or from its origin.
func (l *library) load(at string) ([]byte, error) {
	if text, known := l.read[at]; known {
		return text, nil
	}
	if err := l.failed[at]; err != nil {
		return nil, err
	}
	if len(l.read)+len(l.failed) == maxFiles {
		return nil, fmt.Errorf("the document refers to more than %d files", maxFiles)
	}
	text, err := l.get(at)
	if err == nil {
		text, err = asJSON(text)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", at, err)
		l.failed[at] = err
		return nil, err
	}
	l.read[at] = text
	return text, nil
}

func (l *library) fetch(at string) ([]byte, error) {
	if !isURL(at) {
		return l.readFile(at)
	}
	request, err := http.NewRequestWithContext(l.ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json, application/yaml;q=0.9, */*;q=0.1")
	answer, err := l.client.Do(request) //nolint:gosec // G704: the document that the configuration names
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	const check = "; check \"auth\" and \"headers\" of the server in the configuration"
	if answer.StatusCode != http.StatusOK {
		refused := upstream.Unreadable(max(answer.StatusCode, http.StatusMultipleChoices), fmt.Errorf("the server answered %s", answer.Status))
		if refused.Kind != toolscript.Unavailable {
			refused.Err = fmt.Errorf("%w%s", refused.Err, check)
		}
		return nil, refused
	}
	text, err := upstream.ReadAnswer(l.ctx, nil, answer, maxDocument)
	if err == nil && upstream.IsPage(text) {
		return nil, upstream.Unreadable(answer.StatusCode, fmt.Errorf("it is a page%s; it may be that of a login%s", upstream.Title(text), check))
	}
	return text, err
}

// readFile reads a file in the folder of the first document or below.
func (l *library) readFile(path string) ([]byte, error) {
	root, err := l.project.Root(filepath.Dir(l.root))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only read
	name, err := filepath.Rel(filepath.Dir(l.root), path)
	if err != nil {
		return nil, err
	}
	file, err := root.Open(name) // fails outside of the folder, even through links
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	var text bytes.Buffer
	if info, err := file.Stat(); err == nil {
		text.Grow(int(min(info.Size(), maxDocument)) + bytes.MinRead)
	}
	if _, err := text.ReadFrom(io.LimitReader(file, maxDocument+1)); err != nil {
		return nil, err
	}
	if text.Len() > maxDocument {
		return nil, fmt.Errorf("it has more than %d MB", maxDocument>>20)
	}
	return text.Bytes(), nil
}

// asJSON returns a document in JSON or YAML as JSON.
func asJSON(text []byte) ([]byte, error) {
	text = rawjson.TrimMark(text)
	if rawjson.Valid(text) {
		return text, nil
	}
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] == '{' {
		return nil, json.Unmarshal(text, new(json.RawMessage))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	c := converter{out: &out, open: map[*yaml.Node]bool{}}
	if err := c.value(&doc, asWritten); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// converter writes YAML as JSON. It keeps the order of the file.
type converter struct {
	out  *bytes.Buffer
	open map[*yaml.Node]bool // aliases that are being written

	repeated int // number of values that aliases have repeated
}

// maxRepeated is the maximum number of values that aliases repeat. Aliases of aliases multiply the number.
const maxRepeated = 1 << 20

// reading says how to interpret a YAML scalar without quotes. Numbers and booleans that are spelled
// as in JSON keep their meaning in every reading except asText.
type reading int

const (
	asWritten reading = iota // numbers in non-JSON spelling are strings
	asTexts                  // like asWritten, and booleans in non-JSON spelling are strings too
	asNumber                 // numbers in non-JSON spelling are numbers
	asServer                 // like asWritten, but all values below "variables" are asText
	asText                   // every scalar except null is a string
)

// readings maps names of members to the reading of their values. A member such as "title" can also
// be a property of a schema, so these readings keep JSON numbers and booleans.
var readings = map[string]reading{
	"operationId": asTexts, "name": asTexts, "url": asTexts, "title": asTexts, "version": asTexts, "summary": asTexts, "description": asTexts,
	"tags": asTexts, "propertyName": asTexts, "servers": asServer,
	"minimum": asNumber, "maximum": asNumber, "exclusiveMinimum": asNumber, "exclusiveMaximum": asNumber, "multipleOf": asNumber,
	"minLength": asNumber, "maxLength": asNumber, "minItems": asNumber, "maxItems": asNumber, "minProperties": asNumber, "maxProperties": asNumber,
	"minContains": asNumber, "maxContains": asNumber,
}

// readingOf returns the reading of the value of a member. For values in a schema, it depends on kind, the type of the
// schema.
func readingOf(key string, around reading, kind string) reading {
	switch {
	case around == asText || around == asServer && key == "variables":
		return asText
	case key == "enum" || key == "const" || key == "default":
		return map[string]reading{"string": asText, "number": asNumber, "integer": asNumber}[kind]
	}
	return readings[key]
}

// kindOfValues returns the type of a schema apart from null, or "" if it has several types or none.
func kindOfValues(all []pair) (kind string) {
	for _, p := range all {
		if p.key != "type" {
			continue
		}
		types := []*yaml.Node{p.value}
		if p.value.Kind == yaml.SequenceNode {
			types = p.value.Content
		}
		for _, n := range types {
			if n.Kind == yaml.AliasNode {
				n = n.Alias
			}
			switch {
			case n.Value == "null":
			case kind != "":
				return ""
			default:
				kind = n.Value
			}
		}
		return kind
	}
	return ""
}

func (c *converter) value(n *yaml.Node, as reading) error {
	if c.out.Len() > maxDocument {
		return fmt.Errorf("it has more than %d MB", maxDocument>>20)
	}
	if len(c.open) > 0 {
		if c.repeated++; c.repeated > maxRepeated {
			return fmt.Errorf("line %d: its aliases repeat more than %d values", n.Line, maxRepeated)
		}
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return c.value(n.Content[0], as)
	case yaml.AliasNode:
		if c.open[n.Alias] {
			return fmt.Errorf("line %d: the alias %s contains itself", n.Line, n.Value)
		}
		c.open[n.Alias] = true
		defer delete(c.open, n.Alias)
		return c.value(n.Alias, as)
	case yaml.MappingNode:
		return c.mapping(n, as)
	case yaml.SequenceNode:
		c.out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				c.out.WriteByte(',')
			}
			if err := c.value(item, as); err != nil {
				return err
			}
		}
		c.out.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		return c.scalar(n, as)
	default:
		return fmt.Errorf("line %d: this is no value", n.Line)
	}
}

// mapping writes an object: first its own members, and then the members that "<<" merges into it.
func (c *converter) mapping(n *yaml.Node, as reading) error {
	all, err := pairs(n, 0)
	if err != nil {
		return err
	}
	kind := kindOfValues(all)
	c.out.WriteByte('{')
	written := map[string]bool{}
	for _, p := range all {
		if written[p.key] {
			continue
		}
		if len(written) > 0 {
			c.out.WriteByte(',')
		}
		written[p.key] = true
		c.out.Write(quote(p.key))
		c.out.WriteByte(':')
		if err := c.value(p.value, readingOf(p.key, as, kind)); err != nil {
			return err
		}
	}
	c.out.WriteByte('}')
	return nil
}

// pair is a member of a mapping.
type pair struct {
	key   string
	value *yaml.Node
}

// pairs returns the members of a mapping, and then the members that it merges. If a name occurs
// several times, pairs returns only the first member.
func pairs(n *yaml.Node, depth int) (own []pair, err error) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode || depth > maxDepth {
		return nil, fmt.Errorf("line %d: this cannot be merged", n.Line)
	}
	var merged []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag != "!!merge" {
			own = append(own, pair{key.Value, value})
			continue
		}
		sources := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			sources = value.Content
		}
		for _, source := range sources {
			more, err := pairs(source, depth+1)
			if err != nil {
				return nil, err
			}
			if merged = append(merged, more...); len(merged) > maxMerged {
				return nil, fmt.Errorf("line %d: more than %d members are merged", n.Line, maxMerged)
			}
		}
	}
	return append(own, merged...), nil
}

// maxMerged is the maximum number of members that one mapping merges. Merges of merges multiply the number.
const maxMerged = 10_000

func (c *converter) scalar(n *yaml.Node, as reading) error {
	if as == asText && n.ShortTag() != "!!null" {
		c.out.Write(quote(n.Value))
		return nil
	}
	if n.Style == 0 && json.Valid([]byte(n.Value)) { // keeps the digits of a number, such as 1.10
		c.out.WriteString(n.Value)
		return nil
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return err
	}
	switch value.(type) {
	case nil, string:
	case bool:
		if as == asTexts {
			value = n.Value
		}
	case int, int64, uint64, float64:
		if as != asNumber && n.Style == 0 {
			value = n.Value
		}
	default:
		value = n.Value // for example a date
	}
	text, err := toolscript.PlainJSON(value)
	if err != nil {
		text = quote(n.Value) // for example .inf
	}
	c.out.Write(text)
	return nil
}

// place identifies a part of a document.
type place struct {
	document string // path or URL
	pointer  string // such as /components/schemas/Pet, or the name of an anchor; "" is the whole document
}

// maxPointer is the maximum length of the pointer in a reference, in bytes. It may contain a path of the API.
const maxPointer = 4 << 10

// refer returns the place to which a reference in the document from refers.
func (l *library) refer(from, ref string) (place, error) {
	address, pointer, _ := strings.Cut(ref, "#")
	if len(pointer) > maxPointer {
		return place{}, fmt.Errorf("the reference %.200q is not a path of at most %d bytes", ref, maxPointer)
	}
	if address == "" {
		return place{from, pointer}, nil
	}
	if isURL(from) || isURL(address) {
		base, err := url.Parse(from)
		if err != nil {
			return place{}, err
		}
		target, err := base.Parse(address)
		if err != nil {
			return place{}, err
		}
		if !isURL(from) || !egress.SameOrigin(base, target) {
			return place{}, fmt.Errorf("the reference %.200q leads to another origin, which is not read; put the file next to the document", ref)
		}
		return place{target.String(), pointer}, nil
	}
	name, err := url.PathUnescape(address)
	if err != nil {
		return place{}, err
	}
	path := filepath.Join(filepath.Dir(from), filepath.FromSlash(name))
	if filepath.IsAbs(filepath.FromSlash(name)) || !filepath.IsLocal(relative(filepath.Dir(l.root), path)) {
		return place{}, fmt.Errorf("the reference %.200q leaves the folder of the document, which is not read", ref)
	}
	return place{path, pointer}, nil
}

func relative(base, path string) string {
	rel, err := filepath.Rel(base, path)
	if err != nil {
		return ".." // the document is outside of the folder
	}
	return rel
}

// find returns the value at a place.
func (l *library) find(p place) ([]byte, error) {
	value, err := l.load(p.document)
	if err != nil || p.pointer == "" {
		return value, err
	}
	if p.pointer[0] != '/' {
		return l.anchor(p, value)
	}
	at := 0
	for at < len(p.pointer) {
		end := len(p.pointer)
		if next := strings.IndexByte(p.pointer[at+1:], '/'); next >= 0 {
			end = at + 1 + next
		}
		step := p.pointer[at+1 : end]
		name, err := url.PathUnescape(step)
		if err != nil {
			name = step
		}
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		next := l.member(place{p.document, p.pointer[:at]}, value, name)
		if next == nil {
			return nil, fmt.Errorf("the reference #%.200s leads nowhere", p.pointer)
		}
		value, at = next, end
	}
	return value, nil
}

// member returns a member of an object, or an item of an array. value is the text of the object or
// array, and p its place. It returns nil if there is no such member.
func (l *library) member(p place, value []byte, name string) []byte {
	if !isArray(value) {
		known, has := l.objects[p]
		if !has {
			known = index(value)
			l.objects[p] = known
		}
		return known[name]
	}
	known, has := l.arrays[p]
	if !has {
		known = slices.Collect(items(value))
		l.arrays[p] = known
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(known) {
		return known[i]
	}
	return nil
}

// follow resolves the reference in value, if any, and returns the final value and its place.
func (l *library) follow(value []byte, at place) ([]byte, place, error) {
	for range 32 {
		ref := member(value, "$ref")
		if ref == nil {
			return value, at, nil
		}
		next, err := l.refer(at.document, unquote(ref))
		if err != nil {
			return nil, at, err
		}
		if value, err = l.find(next); err != nil {
			return nil, at, err
		}
		at = next
	}
	return nil, at, errors.New("a reference leads to itself")
}

func isURL(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}
