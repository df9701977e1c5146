package openapi

import (
	"maps"
	"slices"
	"strings"
)

// result is what a document says about the answer.
type result struct {
	schema []byte // nil if it is not known
	media  string // "" if it is not known
	links  bool   // it has the header Link
	list   bool   // it is an array
}

// hasLinks reports whether the header Link is one of those that an answer has.
func hasLinks(headers []byte) bool {
	for name := range members(headers) {
		if strings.EqualFold(name, "Link") {
			return true
		}
	}
	return false
}

// result is the answer of success with the lowest number that has content. It may also be null
// if another one has none.
func (r *reader) result(responses []byte, at place) (out result, err error) {
	codes := map[string][]byte{}
	for code, text := range members(responses) {
		if strings.HasPrefix(code, "2") {
			codes[strings.ToUpper(code)] = text
		}
	}
	var found, empty, silent bool
	var schema converted
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		text, at, err := r.library.follow(codes[code], at)
		if err != nil {
			return out, err
		}
		media, content := bestMedia(member(text, "content"))
		switch {
		case media == "" && (code == "204" || code == "205"):
			empty = true
		case media == "":
			silent = true // many documents leave the content out
		case !found:
			found = true
			out, schema = r.content(media, member(content, "schema"), at)
			out.links = hasLinks(member(text, "headers"))
		}
	}
	switch {
	case !found && empty && !silent:
		schema.text = []byte(`{"type":"null"}`)
	case schema.text != nil && (empty || silent):
		schema = schema.orNull()
	}
	out.schema = schema.whole(r.most)
	return out, nil
}

// content is the result of an answer with a media type, and its schema without $defs, which
// is empty if it is not known.
func (r *reader) content(media string, schema []byte, at place) (result, converted) {
	switch {
	case isJSON(media) && schema != nil:
		top, _, err := r.library.follow(schema, at)
		list := err == nil && unquote(member(top, "type")) == "array"
		return result{media: jsonMedia(media), list: list}, r.convert(schema, at, response)
	case strings.HasPrefix(media, "text/") && !isJSON(media):
		return result{media: media}, converted{text: []byte(`{"type":"string"}`)}
	default:
		return result{media: media}, converted{} // bytes
	}
}
