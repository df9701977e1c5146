package inprocess

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
)

// IsHTML reports whether the text of an answer is a page, such as that of a login.
func IsHTML(answer *http.Response, text []byte) bool {
	media := strings.ToLower(answer.Header.Get("Content-Type"))
	text = bytes.ToLower(bytes.TrimSpace(text[:min(len(text), mostTitle)]))
	return strings.HasPrefix(media, "text/html") || strings.HasPrefix(media, "application/xhtml") || bytes.HasPrefix(text, []byte("<!doctype html")) || bytes.HasPrefix(text, []byte("<html"))
}

const mostTitle = 32 << 10 // bytes of a page that are searched for its title

// Title is the title of a page after "called ", "" if it has none.
func Title(page []byte) string {
	element := regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`) // here: it is seldom needed
	if found := element.FindSubmatch(page[:min(len(page), mostTitle)]); found != nil {
		return fmt.Sprintf(" called %.100q", strings.Join(strings.Fields(html.UnescapeString(string(found[1]))), " "))
	}
	return ""
}
