package mcpclient

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxIcon is the maximum length of the icon of a server, in bytes. The icon is a part of each status
// of the server.
const maxIcon = 8 << 10

// pictures are the media types of images that cannot contain code.
var pictures = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// iconOf returns the first icon that a page can show without loading it: a data URI in base64 of at most
// maxIcon bytes, whose bytes are an image of the given type. It returns "" if there is none.
func iconOf(icons []mcp.Icon) string {
	for _, icon := range icons {
		kind, encoded, is := strings.Cut(strings.TrimPrefix(icon.Src, "data:"), ";base64,")
		if !is || len(icon.Src) > maxIcon || !slices.Contains(pictures, kind) {
			continue
		}
		image, err := base64.StdEncoding.DecodeString(encoded)
		if err == nil && http.DetectContentType(image) == kind {
			return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(image)
		}
	}
	return ""
}
