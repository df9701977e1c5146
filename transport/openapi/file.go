package openapi

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// file is a file in a part of a body.
type file struct {
	name, media string
	data        []byte
}

// file reads an argument for a file: its bytes as base64, an object with name, type and data, or a
// content block of MCP. Without them, the type is that of the document, of the name or of the bytes,
// if one of them says it, and the name is that of the member with the extension of the type.
func (b *body) file(member string, value []byte) (f file, err error) {
	text := value
	if isObject(value) {
		if f.name, f.media, text = block(index(value)); text == nil {
			return f, fmt.Errorf("%s: has no data", member)
		}
	}
	if strings.ContainsAny(f.media, "\r\n\x00") {
		return f, fmt.Errorf("%s: a media type has one line", member)
	}
	if f.data, err = base64.StdEncoding.DecodeString(unquote(text)); err != nil {
		return f, fmt.Errorf("%s: is not base64: %w", member, err)
	}
	f.media = cmp.Or(f.media, b.types[member], typeOf(path.Ext(f.name)), signature(f.data), "application/octet-stream")
	f.name = cmp.Or(f.name, member+extension(f.media))
	return f, nil
}

// block is the name, the media type and the base64 of a file: { name, type, data }, or an image, a
// sound or a resource with bytes as MCP has them. A resource with a text has no base64.
func block(all map[string][]byte) (name, media string, data []byte) {
	name, media, data = unquote(all["name"]), unquote(all["type"]), all["data"]
	if mime := unquote(all["mimeType"]); mime != "" || !strings.Contains(media, "/") { // else the type of a content block
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

// signature is the media type of bytes that begin with the signature of one, else "". A text may
// be anything.
func signature(data []byte) string {
	media, _, _ := strings.Cut(http.DetectContentType(data), ";")
	if len(data) == 0 || strings.HasPrefix(media, "text/") || media == "application/octet-stream" {
		return ""
	}
	return media
}

// usual are the extensions of the names of files, and media types. The first row of a type has its
// usual extension, and the first row of an extension its usual type.
var usual = [][2]string{
	{".png", "image/png"}, {".jpg", "image/jpeg"}, {".jpeg", "image/jpeg"}, {".gif", "image/gif"}, {".webp", "image/webp"}, {".bmp", "image/bmp"}, {".svg", "image/svg+xml"},
	{".mp3", "audio/mpeg"}, {".wav", "audio/wav"}, {".wav", "audio/wave"}, {".m4a", "audio/mp4"}, {".ogg", "audio/ogg"}, {".flac", "audio/flac"},
	{".mp4", "video/mp4"}, {".webm", "video/webm"}, {".pdf", "application/pdf"}, {".zip", "application/zip"}, {".gz", "application/gzip"}, {".gz", "application/x-gzip"},
	{".json", "application/json"}, {".xml", "application/xml"}, {".csv", "text/csv"}, {".html", "text/html"}, {".txt", "text/plain"}, {".md", "text/markdown"},
}

// typeOf is the media type of the files with an extension; "" if it is not known.
func typeOf(extension string) string {
	for _, u := range usual {
		if strings.EqualFold(u[0], extension) {
			return u[1]
		}
	}
	return ""
}

// extension is the usual extension of the names of files with a media type; "" if it is not known.
func extension(media string) string {
	media, _, _ = strings.Cut(media, ";")
	for _, u := range usual {
		if strings.EqualFold(u[1], strings.TrimSpace(media)) {
			return u[0]
		}
	}
	return ""
}
