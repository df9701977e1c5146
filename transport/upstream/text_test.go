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
	c := NewConcealer(Config{
		Env:     map[string]string{"TOKEN": "ghp_0123456789", "SHORT": "on"},
		Headers: map[string]string{"Authorization": "Bearer abcdefghij"},
		URL:     "https://me:password1@host/mcp?key=0011223344",
	})
	said := "on with \x1b[1mghp_0123456789, abcdefghij, password1 and 0011223344"
	if got, want := c.Printable(said), "on with ${TOKEN}, (token of Authorization), (url password) and (url key)"; got != want {
		t.Errorf("printable = %q, want %q", got, want)
	}
}
