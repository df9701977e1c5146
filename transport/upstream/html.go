package upstream

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// IsHTML reports whether the text of an answer is a page, such as that of a login.
func IsHTML(answer *http.Response, text []byte) bool {
	media := strings.ToLower(answer.Header.Get("Content-Type"))
	return strings.HasPrefix(media, "text/html") || IsPage(text)
}

// IsPage reports whether a text begins as an HTML page, possibly after an XML declaration or comments.
func IsPage(text []byte) bool {
	text = bytes.TrimSpace(rawjson.TrimMark(text))
	for _, skipped := range [][2]string{{"<?", "?>"}, {"<!--", "-->"}} { // a declaration stands before comments
		for bytes.HasPrefix(text, []byte(skipped[0])) {
			_, rest, closed := bytes.Cut(text, []byte(skipped[1]))
			if !closed {
				return false
			}
			text = bytes.TrimSpace(rest)
		}
	}
	beginning := strings.ToLower(string(text[:min(len(text), len("<!doctype html"))]))
	return beginning == "<!doctype html" || strings.HasPrefix(beginning, "<html")
}

const mostTitle = 32 << 10 // bytes of a page that are searched for its title

// Title returns the title of a page in quotes, after " called "; "" if the page has no title.
func Title(page []byte) string {
	element := regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`) // compiled here, because it is seldom needed
	if found := element.FindSubmatch(page[:min(len(page), mostTitle)]); found != nil {
		return fmt.Sprintf(" called %.100q", strings.Join(strings.Fields(html.UnescapeString(string(found[1]))), " "))
	}
	return ""
}
