package openapi

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
)

// file is a file in a part of a body.
type file struct {
	name, media string
	data        []byte
}

// file reads an argument for a file: its bytes as base64, or an object with name, type and data.
// Without them, the type is that of the document, of the name or of the bytes, if one of them says
// it, and the name is that of the member with the extension of the type.
func (b *body) file(member string, value []byte) (f file, err error) {
	text := value
	if isObject(value) {
		all := index(value)
		f.name, f.media, text = unquote(all["name"]), unquote(all["type"]), all["data"]
	}
	if strings.ContainsAny(f.media, "\r\n\x00") {
		return f, fmt.Errorf("%s: a media type has one line", member)
	}
	if f.data, err = base64.StdEncoding.DecodeString(unquote(text)); err != nil {
		return f, fmt.Errorf("%s: is not base64: %w", member, err)
	}
	f.media = cmp.Or(f.media, b.types[member], mime.TypeByExtension(path.Ext(f.name)), signature(f.data), "application/octet-stream")
	f.name = cmp.Or(f.name, member+extension(f.media))
	return f, nil
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

// extension is the usual extension of the names of files with a media type; "" if it is not known.
func extension(media string) string {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	switch media = strings.TrimSpace(media); media {
	case "image/jpeg":
		return ".jpg"
	case "text/plain":
		return ".txt"
	case "audio/mpeg":
		return ".mp3"
	case "audio/wav", "audio/wave", "audio/x-wav":
		return ".wav"
	case "application/x-gzip", "application/gzip":
		return ".gz"
	case "image/png", "image/gif", "image/webp", "image/bmp", "application/pdf", "application/zip", "application/json", "application/xml", "text/csv", "text/html", "video/mp4", "video/webm":
		_, kind, _ := strings.Cut(media, "/")
		return "." + kind
	}
	return ""
}
