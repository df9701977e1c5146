package mcpclient_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/mcpclient"
)

func TestRedact(t *testing.T) {
	redact := mcpclient.Redactor(mcpclient.Config{
		Env: map[string]string{"DB": "postgres-password-1"}, Headers: map[string]string{"X-Key": "header-value-1"},
		Secrets: map[string]string{"${WHO}": "marie.curie"},
	})
	for text, want := range map[string]string{
		"no such issue 12":                               "no such issue 12",
		"login as marie.curie failed":                    "login as ${WHO} failed",
		"cannot use postgres-password-1":                 "cannot use ${DB}",
		"header-value-1 is bad":                          "(header X-Key) is bad",
		"Authorization: Bearer abc.def-ghi":              "Authorization: Bearer (redacted)",
		"bearer ABCDEFGHIJK123=":                         "bearer (redacted)",
		`{"password": "abcd1234", "n": 1}`:               `{"password": "(redacted)", "n": 1}`,
		"api_key=abcdefgh&page=2":                        "api_key=(redacted)&page=2",
		"https://anna:secret@example.com/x":              "https://anna:(redacted)example.com/x",
		"key sk-" + strings.Repeat("a1", 12) + " is bad": "key (redacted) is bad",
		"ghp_0123456789abcdefghij0123456789abcd":         "(redacted)",
		"AKIAIOSFODNN7EXAMPLE":                           "(redacted)",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc":   "(redacted)",
		"xoxb-123456789012-abcdef":                       "(redacted)",
		"the key ${secret:A.b-1} of ${secret}":           "the key ${secret:A.b-1} of ${secret}",
		"a \x1b[31mred\x1b[0m\nline":                     "a red line",
	} {
		if got := redact(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if got := redact(strings.Repeat("token=", 1<<20)); len(got) > 16<<10 {
		t.Errorf("a long text has %d bytes", len(got))
	}
}
