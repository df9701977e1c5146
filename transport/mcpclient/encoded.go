package mcpclient

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// encoded are the forms in which a secret occurs in messages: escaped as a part of a URL or
// of JSON, as base64, and, if it has several lines, each line, because a log has lines. In base64 the form depends on the number of bytes before
// the secret, as in the header of "USER:SECRET", so each of the three is listed.
func encoded(secret string) []string {
	forms := []string{url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20")}
	for _, html := range []bool{false, true} { // Go escapes <, > and & too, JavaScript does not
		var text strings.Builder
		quoted := json.NewEncoder(&text)
		quoted.SetEscapeHTML(html)
		if quoted.Encode(secret) == nil {
			forms = append(forms, strings.TrimSuffix(strings.TrimPrefix(text.String(), `"`), "\"\n"))
		}
	}
	if strings.ContainsRune(secret, '\n') {
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); len(line) >= minSecret && !strings.HasPrefix(line, "-----") {
				forms = append(forms, line)
			}
		}
	}
	for before := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString(append(make([]byte, before), secret...))
			// A character has six bits. Characters that have bits of the neighbours differ.
			from, to := (8*before+5)/6, 8*(before+len(secret))/6
			forms = append(forms, text[from:to])
		}
	}
	slices.Sort(forms)
	return slices.DeleteFunc(slices.Compact(forms), func(form string) bool { return form == secret })
}
