package approval_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/toolscript/toolscript/actors/approval"
)

// TestShownArgs: the person sees what runs. Nothing is left out because it looks like a
// secret, and what cannot be seen is shown.
func TestShownArgs(t *testing.T) {
	redact := strings.NewReplacer("hunter2-hunter2", "${secret:ONE}").Replace
	for _, tt := range []struct{ name, args, want string }{
		{"a comment that looks like a key", `{"command":["sh","-c","ls # -----BEGIN PRIVATE KEY-----\nrm -rf important\n# -----END PRIVATE KEY-----"]}`,
			`{"command":["sh","-c","ls # -----BEGIN PRIVATE KEY-----\nrm -rf important\n# -----END PRIVATE KEY-----"]}`},
		{"an assignment that looks like a token", `["token=x$(touch owned) ls"]`, `["token=x$(touch owned) ls"]`},
		{"a login in an address", `["https://a:$(touch${IFS}owned)@b/"]`, `["https://a:$(touch${IFS}owned)@b/"]`},
		{"a header", `["Authorization: Bearer $(touch-owned-now)"]`, `["Authorization: Bearer $(touch-owned-now)"]`},
		{"a token of a known form", `["ghp_0123456789abcdefghij0123456789abcd;rm"]`, `["ghp_0123456789abcdefghij0123456789abcd;rm"]`},
		{"a known secret", `["curl -H hunter2-hunter2; ls"]`, `["curl -H ${secret:ONE}; ls"]`},
		{"white space", "{ \"a\" :\t\"b\\n\\tc\\r\" }", `{"a":"b\n\tc\r"}`},
		{"escapes that hide", `["\u0072\u006d -rf \/"]`, `["rm -rf /"]`},
		{"control characters", `["a\u0000\u001b[2K\b\u007f\u0085"]`, `["a\u0000\u001b[2K\u0008\u007f\u0085"]`},
		{"directions", "[\"a\u202eb\u2066\"]", `["a\u202eb\u2066"]`},
		{"no width", "[\"r\u200bm\u2060\ufeff\u00ad\"]", `["r\u200bm\u2060\ufeff\u00ad"]`},
		{"fillers", "[\"\u3164\u115f\u034f\u17b4\u2800\ufe0f\"]", `["\u3164\u115f\u034f\u17b4\u2800\ufe0f"]`},
		{"tags", "[\"\U000e0041\"]", `["\udb40\udc41"]`},
		{"other spaces and lines", "[\"\u00a0\u2003\u3000\u2028\"]", `["\u00a0\u2003\u3000\u2028"]`},
		{"half a character", `["\ud800x\udc00\ud800\ud800"]`, `["\ud800x\udc00\ud800\ud800"]`},
		{"no UTF-8", "[\"a\xffb\"]", `["a\ufffdb"]`},
		{"both of two keys", `{"command":"ls","command":"rm"}`, `{"command":"ls","command":"rm"}`},
		{"large numbers", `{"n":12345678901234567890.10}`, `{"n":12345678901234567890.10}`},
		{"quotes and backslashes", `["a\"],[\\\"b\\"]`, `["a\"],[\\\"b\\"]`},
		{"letters and emoji", `["Grüße 日本 😀"]`, `["Grüße 日本 😀"]`},
		{"few spaces", `["a        b"]`, `["a        b"]`},
		{"a row of spaces", `["ls` + strings.Repeat(" ", 900) + `; rm"]`, `["ls⟨900 spaces⟩; rm"]`},
		{"brackets of its own", `["⟨900 spaces⟩"]`, `["\u27e8900 spaces\u27e9"]`},
		{"no JSON", `{`, ``},
	} {
		if got := approval.ShownArgs(json.RawMessage(tt.args), redact); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestCutArgs: the beginning and the end are shown, and the number of bytes between them.
func TestCutArgs(t *testing.T) {
	for _, letter := range []string{"x", "日"} {
		long := "first" + strings.Repeat(letter, 9000) + "last"
		got, missing := approval.CutArgs(long)
		begin, rest, _ := strings.Cut(got, "⟨")
		_, end, _ := strings.Cut(rest, "bytes are not shown⟩")
		if !strings.HasPrefix(begin, "first") || !strings.HasSuffix(end, "last") || len(begin)+len(end)+missing != len(long) ||
			len(got) > 2100 || strings.ContainsRune(got, unicode.ReplacementChar) {
			t.Errorf("%d bytes of %s: %s, %d missing", len(long), letter, got, missing)
		}
		if short := approval.CutShort(got); len(short) > 450 || !strings.HasPrefix(short, "first") || !strings.HasSuffix(short, "last") {
			t.Errorf("short: %s", short)
		}
	}
	for _, text := range []string{"", "x", strings.Repeat("x", 2000)} {
		if got, missing := approval.CutArgs(text); got != text || missing != 0 {
			t.Errorf("%d bytes became %d, %d missing", len(text), len(got), missing)
		}
	}
}

// FuzzShownArgs: what is shown is the same JSON value, apart from spaces, and has no
// character that cannot be seen.
func FuzzShownArgs(f *testing.F) {
	for _, args := range []string{`{"a":"b\n\u200b"}`, `["\ud83d\ude00\ud83d","⟨"]`, `"\\\""`, "[1,\"\xff\u202e\"]", `["                   "]`} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		shown := approval.ShownArgs(json.RawMessage(args), func(text string) string { return text })
		var was, is any
		if json.Unmarshal([]byte(args), &was) != nil {
			return
		}
		for _, r := range shown {
			if r != ' ' && !strings.ContainsRune("⟨⟩", r) && (!unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)) {
				t.Fatalf("%q is shown as %q", args, shown)
			}
		}
		if strings.Contains(shown, "⟨") {
			return
		}
		if err := json.Unmarshal([]byte(shown), &is); err != nil {
			t.Fatalf("%q is shown as %q: %v", args, shown, err)
		}
		a, _ := json.Marshal(was)
		b, _ := json.Marshal(is)
		if string(a) != string(b) {
			t.Fatalf("%q is shown as %q", args, shown)
		}
	})
}
