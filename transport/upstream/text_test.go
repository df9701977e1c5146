package upstream

import (
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "a line, 日本", "a line, 日本"},
		{"colours", "\x1b[1;31merror\x1b[0m: x", "error: x"},
		{"window title", "\x1b]0;owned\x07text\x1b]8;;http://x\x1b\\link", "textlink"},
		{"control characters", "a\x00b\x07c\x7f\u0085d", "abc d"},
		{"lines and tabs", "a\r\n\tb\n", "a   b"},
		{"turned text", "abc\u202etxt.exe\u200b", "abctxt.exe"},
		{"no UTF-8", "a\xffb", "a\uFFFDb"},
		{"an escape without an end", "a\x1b[12", "a12"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Printable(tt.text); got != tt.want {
				t.Errorf("Printable(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
	if got := Printable(strings.Repeat("日", maxWords)); len(got) > maxWords+3 || !strings.HasSuffix(got, "日…") {
		t.Errorf("a long text becomes %d bytes that end in %q", len(got), got[len(got)-6:])
	}
}

func TestRedactorRemovesSecrets(t *testing.T) {
	c := NewRedactor(Config{
		Env:     map[string]string{"TOKEN": "ghp_0123456789", "SHORT": "on"},
		Headers: map[string]string{"Authorization": "Bearer abcdefghij"},
		URL:     "https://me:password1@host/mcp?key=0011223344",
	})
	said := "on with \x1b[1mghp_0123456789, abcdefghij, password1 and 0011223344"
	if got, want := c.Printable(said), "on with ${TOKEN}, (token of Authorization), (url password) and (url key)"; got != want {
		t.Errorf("printable = %q, want %q", got, want)
	}
}

// TestRedact has a text of each form, also behind a word and between texts that only look like its start.
func TestRedact(t *testing.T) {
	word := strings.Repeat("aB1", 14)
	for text, want := range map[string]string{
		"Authorization: Bearer abcd": "Authorization: Bearer (redacted)", "BASIC " + word: "BASIC (redacted)", "bearer abc": "bearer abc",
		`"myPassword": "abcd"`: `"myPassword": "(redacted)"`, "a_secret=abcd&b": "a_secret=(redacted)&b", "pa\u017fswd = abcd": "pa\u017fswd = (redacted)",
		"\u017fecret:abcd": "\u017fecret:(redacted)", "to\u212aen:abcd": "to\u212aen:(redacted)", "api_key=abcd, accesskey=abcd": "api_key=(redacted), accesskey=(redacted)",
		"pwd: abc": "pwd: abc", "private-key: ${secret:a.b-c}": "private-key: (redacted)", "${secret:a.b} abcd": "${secret:a.b} abcd",
		"https://me:abcd@host": "https://me:(redacted)host", "://a:b://c:d@e": "://a:b://c:(redacted)e", "xsk-" + word: "xsk-" + word,
		"eyJ-eyJ.eyJ-eyJabcdefgh.abcdefgh.x y": "eyJ-eyJ.(redacted) y", "EYJ-eyJabcdefgh.abcdefgh.x": "EYJ-(redacted)", "xeyJ-eyJabcdefgh.abcdefgh.": "xeyJ-(redacted)",
		"-----BEGIN RSA PRIVATE KEY-----\na\n-----END RSA PRIVATE KEY-----\nb": "(redacted)\nb", "-----BEGIN PRIVATE KEY----- a\nb": "(redacted)\nb",
		"-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----\na\n-----END PRIVATE KEY-----b": "(redacted)b",
	} {
		if got := redactText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	for form := range strings.FieldsSeq("sk- pk- rk- kk- sk_live_ rk_test_ whsec_ gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ glpat- npm_ pypi- hf_ dop_v1_ xoxb- AIza ya29. SG." + word + ". ntn_ tvly-") {
		if got := Redact("é" + form + word + "+"); got != "é(redacted)+" {
			t.Errorf("%s becomes %q", form, got)
		}
	}
	for _, form := range []string{"AKIA", "ASIA"} {
		if got := Redact(form + "ABCDEFGHIJ012345 " + form + "ABCDEFGHIJ0123456"); got != "(redacted) "+form+"ABCDEFGHIJ0123456" {
			t.Errorf("%s becomes %q", form, got)
		}
	}
}

// TestRedactHostile: no text takes more than its length, as starts of keys without an end once did.
func TestRedactHostile(t *testing.T) {
	for _, start := range []string{"-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n-----END ", "eyJ-", "eyJabcdefgh.", "://a:", "token ", "${secret:"} {
		if text := strings.Repeat(start, 1<<18/len(start)); len(redactText(text)) > 2*len(text) {
			t.Errorf("%q grows", start)
		}
	}
}
