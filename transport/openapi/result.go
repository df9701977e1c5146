package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// result describes the answer of an operation, from the document.
type result struct {
	schema []byte   // nil if unknown
	media  string   // chosen media type; "" if unknown
	others []string // other media types that the answer can have
	links  bool     // the answer has the header Link
	list   bool     // the answer is an array
	text   bool     // the answer is a string
	silent bool     // no answer has content

	headers map[string]bool // headers that a success may have, except Link
}

// maxHeaders is the maximum number of headers of an answer that a script can read.
const maxHeaders = 100

// head adds the declared headers of one answer, and reports whether Link is among them.
func (r *result) head(headers []byte) (links bool) {
	for name := range members(headers) {
		switch {
		case strings.EqualFold(name, "Link"):
			links = true
		case len(r.headers) < maxHeaders && !strings.EqualFold(name, "Set-Cookie") && !strings.EqualFold(name, "Content-Type"):
			if r.headers == nil {
				r.headers = map[string]bool{}
			}
			r.headers[name] = true
		}
	}
	return links
}

// nothing returns the schema of an answer without content. If there are headers, it is an object to which they are
// attached.
func nothing(headers map[string]bool) []byte {
	if len(headers) > 0 {
		return []byte(`{"type":"object","description":"empty: $content has the headers"}`)
	}
	return []byte(`{"type":"null"}`)
}

// result describes the success answer with the lowest status that has content. If another success answer has no
// content, the value may also be null. If the document has no success answer, result describes the default answer.
func (r *reader) result(responses []byte, at place) (out result, err error) {
	codes := map[string][]byte{}
	for code, text := range members(responses) {
		if strings.HasPrefix(code, "2") {
			codes[strings.ToUpper(code)] = text
		}
	}
	if other := member(responses, "default"); len(codes) == 0 && other != nil {
		codes["default"] = other
	}
	var found, empty, silent bool
	var schema converted
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		text, at, err := r.library.follow(codes[code], at)
		if err != nil {
			return out, err
		}
		media, content := bestMedia(member(text, "content"))
		links := out.head(member(text, "headers"))
		switch {
		case media == "" && (code == "204" || code == "205"):
			empty = true
		case media == "":
			silent = true // many documents fail to declare the content
		case !found:
			found = true
			out.links, out.others = links, alternatives(member(text, "content"), media)
			schema = r.content(&out, media, member(content, "schema"), at)
		}
	}
	out.silent = !found
	switch {
	case !found && (len(out.headers) > 0 || empty && !silent):
		schema.text = nothing(out.headers)
	case schema.text != nil && (empty || silent):
		schema = schema.orNull()
	}
	out.schema = schema.whole(r.most)
	return out, nil
}

// content returns the schema, without $defs, of an answer with a media type. The schema of bytes is empty.
func (r *reader) content(out *result, media string, schema []byte, at place) converted {
	if strings.HasPrefix(media, "*/*") && r.files(schema, at) {
		return converted{} // the answer is bytes
	}
	out.media = media
	switch {
	case isJSON(media) && schema != nil:
		top, _, err := r.library.follow(schema, at)
		kind := member(top, "type")
		out.list = err == nil && unquote(kind) == "array"
		out.text = err == nil && (unquote(kind) == "string" || slices.Contains(writtenAll(kind), "string"))
		out.media = jsonMedia(media)
		return r.convert(schema, at, response)
	case strings.HasPrefix(media, "text/") && !isJSON(media):
		return converted{text: []byte(`{"type":"string"}`)}
	default:
		return converted{} // the answer is bytes
	}
}

// maxAlternatives is the maximum number of media types that a call can choose from.
const maxAlternatives = 20

// alternatives returns the media types of an answer that differ from the chosen one in content.
// Many frameworks list text/plain and text/json beside JSON for each answer; these do not count.
func alternatives(content []byte, chosen string) (out []string) {
	schema := member(member(content, chosen), "schema")
	for media, other := range members(content) {
		same := isJSON(chosen) && (isJSON(media) || media == "text/plain" && bytes.Equal(member(other, "schema"), schema))
		if media != chosen && !same && !strings.Contains(media, "*") && !strings.ContainsAny(media, "\r\n\x00") && len(out) < maxAlternatives {
			out = append(out, media)
		}
	}
	return out
}

// choose adds an argument that chooses the media type of the answer, if there are several,
// and returns its name.
func (in *input) choose(r result) string {
	if len(r.others) == 0 {
		return ""
	}
	name := in.free("accept")
	types, _ := json.Marshal(append([]string{r.media}, r.others...)) // strings always marshal
	in.add(name, converted{text: fmt.Appendf(nil, `{"type":"string","enum":%s,"description":"the media type of the answer; default %s"}`, types, bytes.Trim(quote(r.media), `"`))}, "", false, "answer")
	return name
}
