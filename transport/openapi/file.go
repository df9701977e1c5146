package openapi

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
)

// file is a file in a request body.
type file struct {
	name, media string
	data        []byte
}

// fileArgument is the schema of an argument that takes a file.
const fileArgument = `{"anyOf":[{"type":"string","contentEncoding":"base64"},{"type":"object","properties":{` +
	`"data":{"type":"string","contentEncoding":"base64"},"name":{"type":"string","description":"the name of the file, such as talk.mp3"},` +
	`"type":{"type":"string","description":"its media type, such as audio/mpeg"},"mimeType":{"type":"string"},"resource":{"type":"object"}}}],` +
	`"description":"the bytes of a file, as base64, { name, type, data }, or a content block that a tool returned"}`

// isFile reports whether a schema describes bytes: by the format binary, or, in OpenAPI 3.1, by a
// content encoding or by a media type other than text.
func isFile(schema map[string][]byte) bool {
	media := unquote(schema["contentMediaType"])
	return unquote(schema["format"]) == "binary" || schema["contentEncoding"] != nil ||
		media != "" && (strings.HasPrefix(media, "*/") || !isJSON(media) && !textual(media))
}

// maxFileParts is the maximum number of schemas in a body or a member that are searched for files.
const maxFileParts = 50

// files reports whether a schema allows only files, lists of files, and null.
func (s *schemas) files(schema []byte, at place) bool {
	count := 0
	var are func(schema []byte, at place) bool
	are = func(schema []byte, at place) bool {
		if count++; count > maxFileParts {
			return false
		}
		schema, at, err := s.library.follow(schema, at)
		if err != nil {
			return false
		}
		all := index(schema)
		if isFile(all) {
			return true
		}
		if kind := all["type"]; unquote(kind) == "array" || slices.Contains(writtenAll(kind), "array") {
			return all["items"] != nil && are(all["items"], at)
		}
		for part := range items(all["allOf"]) {
			if are(part, at) {
				return true
			}
		}
		for _, list := range []string{"anyOf", "oneOf"} {
			found := false
			for alternative := range items(all[list]) {
				if unquote(member(alternative, "type")) == "null" {
					continue
				}
				if !are(alternative, at) {
					return false
				}
				found = true
			}
			if found {
				return true
			}
		}
		return false
	}
	return are(schema, at)
}

// fileMembers returns the members of a body that the document names. The value is true for members
// that are files. others reports whether members that the document does not name are files.
func (s *schemas) fileMembers(schema []byte, at place) (named map[string]bool, others bool) {
	named = map[string]bool{}
	count := 0
	var collect func(schema []byte, at place)
	collect = func(schema []byte, at place) {
		if count++; count > maxFileParts {
			return
		}
		schema, at, err := s.library.follow(schema, at)
		if err != nil {
			return
		}
		all := index(schema)
		for name, property := range members(all["properties"]) {
			named[name] = named[name] || s.files(property, at)
		}
		others = others || isObject(all["additionalProperties"]) && s.files(all["additionalProperties"], at)
		for _, list := range partLists {
			for part := range items(all[list]) {
				if collect(part, at); count > maxFileParts {
					return
				}
			}
		}
	}
	collect(schema, at)
	return named, others
}

// hasFiles reports whether a body has a member that is a file, or a list of files.
func (s *schemas) hasFiles(schema []byte, at place) bool {
	named, others := s.fileMembers(schema, at)
	for _, is := range named {
		others = others || is
	}
	return others
}

// carries reports whether the schema at a place contains files, if it is a body or a member of a body.
func (s *schemas) carries(at place, side side) bool {
	key := use{at, side, false}
	known, has := s.carrying[key]
	if !has {
		schema, err := s.library.find(at)
		known = err == nil && (side == parts && s.hasFiles(schema, at) || side == upload && s.files(schema, at))
		s.carrying[key] = known
	}
	return known
}

// isFile reports whether a member of the body is a file.
func (b *body) isFile(member string) bool {
	is, named := b.Binary[member]
	return is || !named && b.Files
}

// raw returns the content of a body that is a file, and the media type that the document declares and that fits best.
func (b *body) raw(argument string, value []byte) ([]byte, string, error) {
	f, known, err := b.read(argument, value)
	if err != nil {
		return nil, "", err
	}
	for _, media := range b.Raws {
		if strings.EqualFold(media, known) {
			return f.data, media, nil
		}
	}
	for _, media := range b.Raws {
		if before, _, wild := strings.Cut(media, "*"); wild && known != "" && (strings.HasPrefix(known, before) || before == "") {
			return f.data, known, nil
		}
	}
	for _, media := range b.Raws {
		if !strings.Contains(media, "*") {
			return f.data, media, nil
		}
	}
	return f.data, "application/octet-stream", nil
}

// file reads an argument for a file: base64, an object with name, type and data, or an MCP content
// block. If the argument has no media type, file takes it from the document, from the extension of
// the name, or from the bytes. If it has no name, file uses the name of the member with the usual
// extension of the media type.
func (b *body) file(member string, value []byte) (file, error) {
	f, known, err := b.read(member, value)
	if err != nil {
		return f, err
	}
	f.media = cmp.Or(known, "application/octet-stream")
	f.name = cmp.Or(f.name, member+extension(known))
	return f, nil
}

// read reads an argument for a file. known is the media type, or "" if it is not known.
func (b *body) read(member string, value []byte) (f file, known string, err error) {
	text := value
	if isObject(value) {
		if f.name, f.media, text = block(index(value)); text == nil {
			return f, "", fmt.Errorf("%s: has no data", member)
		}
	}
	if strings.ContainsAny(f.media, "\r\n\x00") {
		return f, "", fmt.Errorf("%s: a media type has one line", member)
	}
	if f.data, err = base64.StdEncoding.DecodeString(unquote(text)); err != nil {
		return f, "", fmt.Errorf("%s: is not base64: %w", member, err)
	}
	known = cmp.Or(f.media, b.Types[member], typeOf(path.Ext(f.name)))
	if path.Ext(f.name) == "" { // the bytes say too little about a file with an extension: .docx is a ZIP
		known = cmp.Or(known, signature(f.data))
	}
	return f, known, nil
}

// block returns the name, the media type and the base64 of a file. all has the members of { name, type,
// data }, or of an image, audio or resource block of MCP. block converts the text of a resource to base64.
func block(all map[string][]byte) (name, media string, data []byte) {
	name, media, data = unquote(all["name"]), unquote(all["type"]), all["data"]
	if mime := unquote(all["mimeType"]); mime != "" || !strings.Contains(media, "/") { // a type without a slash is the type of a content block
		media = mime
	}
	if resource := index(all["resource"]); len(resource) > 0 {
		data, media = resource["blob"], unquote(resource["mimeType"])
		if text := resource["text"]; data == nil && text != nil {
			data = quote(base64.StdEncoding.EncodeToString([]byte(unquote(text))))
		}
		if uri, err := url.Parse(unquote(resource["uri"])); name == "" && err == nil && path.Ext(uri.Path) != "" {
			name = path.Base(uri.Path)
		}
	}
	return name, media, data
}

// signature returns the media type that the first bytes show, or "". It knows only signatures with
// which no other content can begin.
func signature(data []byte) string {
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		return "image/webp"
	}
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s[0])) {
			return s[1]
		}
	}
	return ""
}

var signatures = [][2]string{
	{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF87a", "image/gif"}, {"GIF89a", "image/gif"},
	{"%PDF-", "application/pdf"}, {"PK\x03\x04", "application/zip"}, {"\x1f\x8b\x08", "application/gzip"},
}

// usual pairs extensions of file names with media types. The first row of a media type has
// its usual extension, and the first row of an extension has its usual media type.
var usual = [][2]string{
	{".png", "image/png"}, {".jpg", "image/jpeg"}, {".jpeg", "image/jpeg"}, {".gif", "image/gif"}, {".webp", "image/webp"}, {".bmp", "image/bmp"}, {".svg", "image/svg+xml"},
	{".mp3", "audio/mpeg"}, {".wav", "audio/wav"}, {".wav", "audio/wave"}, {".m4a", "audio/mp4"}, {".ogg", "audio/ogg"}, {".flac", "audio/flac"},
	{".mp4", "video/mp4"}, {".webm", "video/webm"}, {".pdf", "application/pdf"}, {".zip", "application/zip"}, {".gz", "application/gzip"}, {".gz", "application/x-gzip"},
	{".json", "application/json"}, {".xml", "application/xml"}, {".csv", "text/csv"}, {".html", "text/html"}, {".txt", "text/plain"}, {".md", "text/markdown"},
}

// typeOf returns the media type of files with an extension, or "" if it is unknown.
func typeOf(extension string) string {
	for _, u := range usual {
		if strings.EqualFold(u[0], extension) {
			return u[1]
		}
	}
	return ""
}

// extension returns the usual extension of files with a media type, or "" if it is unknown.
func extension(media string) string {
	media, _, _ = strings.Cut(media, ";")
	for _, u := range usual {
		if strings.EqualFold(u[1], strings.TrimSpace(media)) {
			return u[0]
		}
	}
	return ""
}
