package mcpclient

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestIconOf(t *testing.T) {
	png := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\nrest"))
	for name, c := range map[string]struct {
		icons []string
		want  string
	}{
		"no icon":            {},
		"an image":           {[]string{png}, png},
		"behind an address":  {[]string{"https://example.com/icon.png", png}, png},
		"an address":         {[]string{"https://example.com/icon.png"}, ""},
		"SVG has code":       {[]string{"data:image/svg+xml;base64,PHN2Zy8+"}, ""},
		"HTML in disguise":   {[]string{"data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("<html>"))}, ""},
		"another type":       {[]string{strings.Replace(png, "png", "jpeg", 1)}, ""},
		"not base64":         {[]string{"data:image/png;base64,\"><script>"}, ""},
		"a parameter":        {[]string{strings.Replace(png, "png;", "png;charset=x;", 1)}, ""},
		"without base64":     {[]string{"data:image/png,x"}, ""},
		"too large":          {[]string{png[:len("data:image/png;base64,")] + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"+strings.Repeat("x", 8<<10)))}, ""},
		"a line in the text": {[]string{png[:30] + "\n" + png[30:]}, png},
	} {
		var icons []mcp.Icon
		for _, src := range c.icons {
			icons = append(icons, mcp.Icon{Src: src})
		}
		if got := iconOf(icons); got != c.want {
			t.Errorf("%s: %.80q, want %.80q", name, got, c.want)
		}
	}
}
