package mcpclient_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/mcpclient"
)

// TestRedactorKnowsEncodedForms: a server that prints its secret in a URL, or as base64
// between other bytes, does not reveal it.
func TestRedactorKnowsEncodedForms(t *testing.T) {
	for _, secret := range []string{"pa/ss+wo rd?ü&=", "12345678", "123456789", "1234567890", strings.Repeat("ÿ>?", 50)} {
		redact := mcpclient.Redactor(mcpclient.Config{Secrets: map[string]string{"${KEY}": secret}})
		printed := map[string]string{"query": url.QueryEscape(secret), "path": url.PathEscape(secret)}
		for _, before := range []string{"", "u", "u:", "us:", "user:"} {
			for _, after := range []string{"", "\n", ":x", ":yz"} {
				for name, encoding := range map[string]*base64.Encoding{
					"base64": base64.StdEncoding, "base64 of URLs": base64.URLEncoding, "base64 without padding": base64.RawStdEncoding,
				} {
					printed[name+" "+before+" "+after] = encoding.EncodeToString([]byte(before + secret + after))
				}
			}
		}
		for name, text := range printed {
			got := redact("sent <" + text + "> there")
			// The neighbours of the secret share at most one character on each side with it.
			if rest := strings.Replace(got, "${KEY}", "", 1); rest == got || len(rest) > len("sent <> there")+len("user:")*2+2+6 {
				t.Errorf("%s of %q: %q", name, secret, got)
			}
		}
	}
	redact := mcpclient.Redactor(mcpclient.Config{Secrets: map[string]string{"${KEY}": "12345678"}})
	if text := "MTIzNDU2 is a part, and %31%32 another"; redact(text) != text {
		t.Errorf("%q: a text without the secret has changed", redact(text))
	}
}

// TestRedactorKnowsJSONAndLines: the same for a secret in JSON, and for each line of one
// that has several.
func TestRedactorKnowsJSONAndLines(t *testing.T) {
	const secret = "-----BEGIN KEY-----\nfirst \"line\" <1>\r\nsecond line\nend\n-----END KEY-----\n"
	redact := mcpclient.Redactor(mcpclient.Config{Secrets: map[string]string{"${KEY}": secret}})
	for printed, want := range map[string]string{
		`{"key": "-----BEGIN KEY-----\nfirst \"line\" <1>\r\nsecond line\nend\n-----END KEY-----\n"}`:           `{"key": "${KEY}"}`,
		`{"key": "-----BEGIN KEY-----\nfirst \"line\" \u003c1\u003e\r\nsecond line\nend\n-----END KEY-----\n"}`: `{"key": "${KEY}"}`,
		"it is first \"line\" <1>":       "it is ${KEY}",
		"  second line":                  "${KEY}",
		"the end of a -----BEGIN X-----": "the end of a -----BEGIN X-----",
	} {
		if got := redact(printed); got != want {
			t.Errorf("%q is shown as %q, want %q", printed, got, want)
		}
	}
}
