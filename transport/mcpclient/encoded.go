package mcpclient

import (
	"encoding/base64"
	"net/url"
	"slices"
)

// encoded are the forms in which a secret occurs in messages about requests: escaped as a
// part of a URL, and as base64. In base64 the form depends on the number of bytes before
// the secret, as in the header of "USER:SECRET", so each of the three is listed.
func encoded(secret string) []string {
	forms := []string{url.QueryEscape(secret), url.PathEscape(secret)}
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
