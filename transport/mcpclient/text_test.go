package mcpclient

import (
	"fmt"
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
			if got := printable(tt.text); got != tt.want {
				t.Errorf("printable(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
	if got := printable(strings.Repeat("日", maxWords)); len(got) > maxWords+3 || !strings.HasSuffix(got, "日…") {
		t.Errorf("a long text becomes %d bytes that end in %q", len(got), got[len(got)-6:])
	}
}

func TestRedactorRemovesSecrets(t *testing.T) {
	c := newRedactor(secrets(Config{
		Env:     map[string]string{"TOKEN": "ghp_0123456789", "SHORT": "on"},
		Headers: map[string]string{"Authorization": "Bearer abcdefghij"},
		URL:     "https://me:password1@host/mcp?key=0011223344",
	}))
	said := "on with \x1b[1mghp_0123456789, abcdefghij, password1 and 0011223344"
	if got, want := c.clean(said), "on with ${TOKEN}, (token of Authorization), (url password) and (url key)"; got != want {
		t.Errorf("clean = %q, want %q", got, want)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var end tail
	write := func(text string) {
		if n, err := end.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	for n := range 1000 {
		write(fmt.Sprintf("line %d\n\n", n))
	}
	write("no ")
	write("end")
	lines := end.last()
	if len(lines) != tailLines+1 || lines[0] != "line 900" || lines[tailLines] != "no end" {
		t.Errorf("%d lines from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
	for range 20 {
		write(strings.Repeat("x", 100_000) + "\n")
	}
	size := 0
	for _, line := range end.last() {
		size += len(line)
	}
	if size > tailBytes {
		t.Errorf("%d bytes are kept, want at most %d", size, tailBytes)
	}
}
