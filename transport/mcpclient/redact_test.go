package mcpclient_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestRedact(t *testing.T) {
	redact := upstream.NewRedactor(upstream.Config{
		Env: map[string]string{"DB": "postgres-password-1"}, Headers: map[string]string{"X-Key": "header-value-1"},
		Secrets: map[string]string{"${WHO}": "marie.curie"},
	}).Line
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

// TestRedactorKnowsSpellings: the redactor finds a secret in any notation, even with colours or invisible
// characters in it. The notations themselves are tested in package redact.
func TestRedactorKnowsSpellings(t *testing.T) {
	const secret = "p!a's(s)*~w/o\"rd-1"
	redact := upstream.NewRedactor(upstream.Config{Secrets: map[string]string{"${KEY}": secret}}).Line
	for name, text := range map[string]string{
		"Python's quote":                  "p%21a%27s%28s%29%2A~w/o%22rd-1",
		"JavaScript's encodeURIComponent": "p!a's(s)*~w%2Fo%22rd-1",
		"lower case":                      "p%21a%27s%28s%29%2a~w%2fo%22rd-1",
		"PHP's JSON":                      `p!a's(s)*~w\/o\"rd-1`,
		"HTML":                            "p!a&#39;s(s)*~w&sol;o&quot;rd-1",
		"hexadecimal":                     fmt.Sprintf("%X", secret),
		"base64":                          base64.StdEncoding.EncodeToString([]byte(secret)),
		"a colour in the middle":          "p!a's\x1b[1;31m(s)*~w\x1b[0m/o\"rd-1",
		"an invisible character":          "p!a's\u200b(s)*~w/o\"rd-1",
	} {
		got := redact("it is <" + text + ">")
		if rest := strings.Replace(got, "${KEY}", "", 1); rest == got || len(rest) > len("it is <>")+1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestCutTextHasNoPartOfASecret: a cut text never shows a part of a secret, although a long line may be cut
// inside a secret, and short names in place of secrets may move the cut into the part that is shown.
func TestCutTextHasNoPartOfASecret(t *testing.T) {
	secret := strings.Repeat("abcdefghij", 400)
	redact := upstream.NewRedactor(upstream.Config{Secrets: map[string]string{"${KEY}": secret}}).Line
	for _, text := range []string{secret + secret, secret + " " + secret[:3999], strings.Repeat(secret, 3), "x" + secret + url.QueryEscape(secret)} {
		if got := redact(text); strings.Contains(got, "abcdefghij") {
			t.Errorf("%d bytes are shown as %.60q… with %d bytes", len(text), got, len(got))
		}
	}
}

// TestMissingProgramNamesTheVariable: an error about a server's program names the variables of the
// configuration, not their values, even if the values are short.
func TestMissingProgramNamesTheVariable(t *testing.T) {
	secrets := map[string]string{"${BIN}": "/nowhere-sesame", "${NAME}": "sesame", "${V}": "s-9", "${DIR}": "/no-such-folder-sesame"}
	for name, cfg := range map[string]upstream.Config{
		"a path":             {Command: "/nowhere-sesame/server"},
		"a name":             {Command: "sesame"},
		"a short part":       {Command: "/opt/sesame/s-9"},
		"a working folder":   {Command: "sh", Dir: "/no-such-folder-sesame"},
		"a file in a folder": {Command: "/nowhere-sesame/sesame", Dir: t.TempDir()},
	} {
		cfg.Type, cfg.Secrets = upstream.Stdio, secrets
		_, dialed := mcpclient.Dialer{}.Dial(kit.Within(t), "srv", cfg, upstream.Events{})
		found := mcpclient.FindProgram(os.Environ(), cfg)
		if name == "a working folder" {
			found = dialed // the program exists
		}
		for _, err := range []error{dialed, found} {
			if err == nil || strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "s-9") || !strings.Contains(err.Error(), "${") {
				t.Errorf("%s: %v", name, err)
			}
			if toolscript.KindOf(err) != toolscript.Unavailable {
				t.Errorf("%s: kind %s", name, toolscript.KindOf(err))
			}
		}
	}
}

// TestClean: Clean removes the same texts as Line, but keeps line breaks and does not cut.
func TestClean(t *testing.T) {
	clean := upstream.NewRedactor(upstream.Config{Secrets: map[string]string{"${KEY}": "open sesame"}, Env: map[string]string{"OTHER": "barley-of-old"}}).Clean
	long := strings.Repeat("x", 10_000)
	text := "first: open sesame\n\tsecond: barley-of-old, password=hunter2-and-more\n" + long
	want := "first: ${KEY}\n\tsecond: ${OTHER}, password=(redacted)\n" + long
	if got := clean(text); got != want {
		t.Errorf("%.200q, want %.200q", got, want)
	}
}
