package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscript/toolscript/internal/redact"
)

// awkward contains characters that the escape functions of common languages treat differently.
const awkward = `p!a's(s)*~w/o\r"d<é>&+ %{日😀}=;` + "\tend"

var secrets = []string{awkward, "12345678", "plain-token_0123456789", strings.Repeat("ÿ>?", 40), `C:\new\table`, "a b&c=d+e%f", "-_-+/+/-_", "\\\\\\\\\\\\\\\\", "%%%%%%%%25", "&amp;&lt;&amp;", "it is 100%"}

// percent escapes each byte that is not alphanumeric and not in keep.
func percent(text, keep, format string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		if b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || strings.IndexByte(keep, b) >= 0 {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, format, b)
		}
	}
	return out.String()
}

// everyRune applies write to each character and joins the results.
func everyRune(text string, write func(r rune) string) string {
	var out strings.Builder
	for _, r := range text {
		out.WriteString(write(r))
	}
	return out.String()
}

func utf16Escape(r rune, format string) string {
	if r <= 0xffff {
		return fmt.Sprintf(format, r)
	}
	r -= 0x10000
	return fmt.Sprintf(format, 0xd800+r>>10) + fmt.Sprintf(format, 0xdc00+r&0x3ff)
}

func jsonOf(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted[1 : len(quoted)-1])
}

// spellings returns the forms in which programs write a text.
func spellings(s string) map[string]string {
	return map[string]string{
		"as it is":                         s,
		"Go's query":                       url.QueryEscape(s),
		"Go's path":                        url.PathEscape(s),
		"Python's quote":                   percent(s, "_.-~/", "%%%02X"),
		"Python's quote_plus":              strings.ReplaceAll(percent(s, "_.-~ ", "%%%02X"), " ", "+"),
		"JavaScript's encodeURIComponent":  percent(s, "-_.!~*'()", "%%%02X"),
		"JavaScript's encodeURI":           percent(s, "-_.!~*'();/?:@&=+$,#", "%%%02X"),
		"lower case":                       percent(s, "-_.~", "%%%02x"),
		"RFC 3986 of PHP":                  percent(s, "-_.~", "%%%02X"),
		"percent in percent":               url.QueryEscape(url.PathEscape(s)),
		"JSON of Go":                       jsonOf(s),
		"JSON of JavaScript":               strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(jsonOf(s)),
		"JSON of PHP":                      strings.ReplaceAll(jsonOf(everyRune(s, func(r rune) string { return string(r) })), "/", `\/`),
		"JSON of Python":                   everyRune(jsonOf(s), func(r rune) string { return ascii(r, `\u%04x`) }),
		"JSON with capital digits":         everyRune(jsonOf(s), func(r rune) string { return ascii(r, `\u%04X`) }),
		"every character in JSON":          everyRune(s, func(r rune) string { return utf16Escape(r, `\u%04x`) }),
		"JSON in JSON":                     jsonOf(jsonOf(s)),
		"JSON in a query":                  url.QueryEscape(jsonOf(s)),
		"a query in JSON":                  jsonOf(url.QueryEscape(s)),
		"JSON in HTML":                     html.EscapeString(jsonOf(s)),
		"HTML of Go":                       html.EscapeString(s),
		"HTML of PHP":                      strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#039;").Replace(s),
		"HTML with names":                  strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;", "é", "&eacute;", "+", "&plus;", "/", "&sol;").Replace(s),
		"HTML with numbers":                everyRune(s, func(r rune) string { return fmt.Sprintf("&#%d;", r) }),
		"HTML with hexadecimal numbers":    everyRune(s, func(r rune) string { return fmt.Sprintf("&#x%X;", r) }),
		"HTML in HTML":                     html.EscapeString(html.EscapeString(s)),
		"a string of Go":                   strings.Trim(strconv.Quote(s), `"`),
		"a string of Go in ASCII":          strings.Trim(strconv.QuoteToASCII(s), `"`),
		"a string of JavaScript":           everyRune(s, func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) }),
		"bytes of Python":                  percent(s, "-_.", `\x%02x`),
		"octal of C":                       percent(s, "-_.", `\%03o`),
		"a word of a shell":                everyRune(s, func(r rune) string { return shellEscape(r) }),
		"coloured":                         "\x1b[31m" + s[:3] + "\x1b[1;32m\x1b[K" + s[3:],
		"a link of a terminal":             s[:2] + "\x1b]8;;http://x\x1b\\" + s[2:],
		"hexadecimal":                      hex.EncodeToString([]byte(s)),
		"hexadecimal in capitals":          strings.ToUpper(hex.EncodeToString([]byte(s))),
		"hexadecimal as an array of C":     hexEach(s, "0x%02X, "),
		"hexadecimal with spaces":          hexEach(s, "%02x "),
		"base64 in lines":                  wrap(base64.StdEncoding.EncodeToString([]byte(s)), 10, "\n"),
		"base64 in indented lines of JSON": wrap(base64.StdEncoding.EncodeToString([]byte(s)), 10, `\n    `),
		"base64 in a query":                url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))),
		"base64 in JSON of PHP":            strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(s)), "/", `\/`),
		"base64 in a mixture of alphabets": strings.Replace(base64.StdEncoding.EncodeToString([]byte(s)), "+", "-", 1),

		"every byte in percent":             hexEach(s, "%%%02X"),
		"every byte in percent, lower case": hexEach(s, "%%%02x"),
		"hexadecimal with colons":           strings.TrimSuffix(hexEach(s, "%02x:"), ":"),
		"hexadecimal in lines":              wrap(hexEach(s, "%02x"), 16, "\n  "),
	}
}

func ascii(r rune, format string) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	return utf16Escape(r, format)
}

func shellEscape(r rune) string {
	if strings.ContainsRune(` !"#$&'()*;<>?[\]{|}~=%`+"`", r) {
		return `\` + string(r)
	}
	return string(r)
}

func hexEach(s, format string) string {
	var out strings.Builder
	for _, b := range []byte(s) {
		fmt.Fprintf(&out, format, b)
	}
	return out.String()
}

func wrap(text string, width int, end string) string {
	var out strings.Builder
	for len(text) > width {
		out.WriteString(text[:width] + end)
		text = text[width:]
	}
	return out.String() + text
}

// TestSpellings: a secret is replaced in each notation, without changing the text around it.
func TestSpellings(t *testing.T) {
	for _, secret := range secrets {
		s := redact.New(map[string]string{"${KEY}": secret})
		for name, text := range spellings(secret) {
			if !utf8.ValidString(text) {
				continue
			}
			got := s.Replace("sent <" + text + "> there")
			rest := strings.Replace(got, "${KEY}", "", 1)
			around := 0 // bytes that may be kept around the secret
			switch {
			case strings.HasPrefix(name, "base64"): // a character, the padding, and the line break before it
				around = len(`\n    Q%3D%3D`)
			case strings.HasPrefix(name, "hexadecimal"):
				around = len("0x, ")
			case name == "coloured":
				around = len("\x1b[31m")
			}
			if rest == got || len(rest) > len("sent <> there")+around {
				t.Errorf("%s of %q: %q became %q", name, secret, text, got)
			}
		}
	}
}

// TestBase64: a secret in base64 is replaced at each offset, in both alphabets, with and without padding.
func TestBase64(t *testing.T) {
	for _, secret := range secrets {
		s := redact.New(map[string]string{"${KEY}": secret})
		for _, before := range []string{"", "u", "u:", "us:", "user:"} {
			for _, after := range []string{"", "\n", ":x", ":yz"} {
				for name, encoding := range map[string]*base64.Encoding{
					"standard": base64.StdEncoding, "of URLs": base64.URLEncoding, "without padding": base64.RawStdEncoding, "of URLs, without padding": base64.RawURLEncoding,
				} {
					text := encoding.EncodeToString([]byte(before + secret + after))
					rest := strings.Replace(s.Replace("<"+text+">"), "${KEY}", "", 1)
					// At most one character on each side is shared by the secret and the text around it.
					if len(rest) > len("<>")+len("user:")*2+2+6 || strings.Contains(rest, text) {
						t.Errorf("%s of %q between %q and %q: %q", name, secret, before, after, rest)
					}
				}
			}
		}
	}
}

// TestMixtures: a secret is replaced even if each of its characters is escaped differently.
func TestMixtures(t *testing.T) {
	ways := []func(r rune) string{
		func(r rune) string { return string(r) },
		func(r rune) string { return percent(string(r), "", "%%%02x") },
		func(r rune) string { return utf16Escape(r, `\u%04X`) },
		func(r rune) string { return fmt.Sprintf("&#%d;", r) },
		func(r rune) string { return hexEach(string(r), "%%%02X") },
		func(r rune) string { return hexEach(string(r), `\x%02x`) },
		func(r rune) string { return fmt.Sprintf("&#x%06x;", r) },
	}
	for _, secret := range secrets {
		s := redact.New(map[string]string{"${KEY}": secret})
		for first := range ways {
			n := first
			text := everyRune(secret, func(r rune) string {
				n++
				return ways[n*n%len(ways)](r)
			})
			if got := s.Replace("<" + text + ">"); got != "<${KEY}>" {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

// TestPrefixes: a secret is replaced even if the text before it looks like the beginning of an escape or
// of the secret.
func TestPrefixes(t *testing.T) {
	for _, secret := range []string{"1234abcd5678", "41424344", "n0t-a-new-line", "u0041bcdefg", "amp;amp;amp;", "25252525"} {
		s := redact.New(map[string]string{"${KEY}": secret})
		for _, before := range []string{"%", "%4", `\`, `\\`, `\u00`, "&", "&#", `\x`, "\x1b", "\x1b[", "0x", "=", secret[:3], secret[:len(secret)-1]} {
			if got := s.Replace(before + secret + "."); strings.Contains(got, secret) || !strings.Contains(got, "${KEY}") {
				t.Errorf("%q before %q: %q", before, secret, got)
			}
		}
	}
}

// TestOtherTextsStay: texts without a secret do not change.
func TestOtherTextsStay(t *testing.T) {
	s := redact.New(map[string]string{"${KEY}": "12345678", "${URL}": "https://a.example/x", "${SHORT}": "1234567", "${EMPTY}": ""})
	for _, text := range []string{
		"", "1234567", "MTIzNDU2 is a part, and %31%32 another", `a \u0031\u0032 and &#49;&#50;`, "100% & more \\", "%", `\`, "&", "\x1b[", "12345 678",
		"3132333435363 is too short", "https://a.example/", "https%3A%2F%2Fa.example", "\xff\xfe", "日本" + strings.Repeat("%41", 300),
	} {
		if got := s.Replace(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, none := range []map[string]string{nil, {"${A}": "short"}, {"${A}": ""}} {
		if redact.New(none) != nil || redact.New(none).Replace("short") != "short" {
			t.Errorf("%v: a text has changed", none)
		}
	}
}

// TestSeveralSecrets: each secret is replaced by its own name, even if it contains another secret.
func TestSeveralSecrets(t *testing.T) {
	s := redact.New(map[string]string{"${A}": "password-1", "${B}": "my-password-1-is-long", "${C}": "other-value"})
	if got, want := s.Replace("my-password-1-is-long, password-1, other%2dvalue/password-1"), "${B}, ${A}, ${C}/${A}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLines: each line of a secret counts as a secret, because logs are written line by line.
func TestLines(t *testing.T) {
	s := redact.New(map[string]string{"${KEY}": "-----BEGIN KEY-----\nfirst \"line\" <1>\r\nsecond line\nend\n-----END KEY-----\n"})
	for text, want := range map[string]string{
		`{"key": "-----BEGIN KEY-----\nfirst \"line\" <1>\r\nsecond line\nend\n-----END KEY-----\n"}`: `{"key": "${KEY}"}`,
		"it is first \"line\" <1>":       "it is ${KEY}",
		"it is first%20%22line%22":       "it is first%20%22line%22",
		"  second+line":                  "  ${KEY}",
		"the end of a -----BEGIN X-----": "the end of a -----BEGIN X-----",
	} {
		if got := s.Replace(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestReplaceCut: the beginning of a secret at the end of a cut text is replaced.
func TestReplaceCut(t *testing.T) {
	const secret = "abcdefgh/ijklmnop"
	s := redact.New(map[string]string{"${KEY}": secret})
	for _, text := range []string{secret, secret[:9], secret[:8], "abcdefgh%2Fijk", "abcdefgh%2F", "abcdefgh%2", "abcdefgh%", `abcdefgh\u00`, hex.EncodeToString([]byte(secret))[:20], base64.StdEncoding.EncodeToString([]byte(secret))[:12]} {
		if got := s.ReplaceCut("is " + text); got != "is ${KEY}" {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{"is abcdefg", "is abcdefgh.", "abcdefgh/ij then"} {
		if got := s.ReplaceCut(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := s.Replace("is abcdefgh/ij"); got != "is abcdefgh/ij" {
		t.Errorf("a text that was not cut became %q", got)
	}
}

// FuzzReplace checks that a secret in any text is replaced, without a panic and without taking long.
func FuzzReplace(f *testing.F) {
	for _, secret := range secrets {
		f.Add(secret, "%41\\u00e9&amp;", 3)
	}
	f.Fuzz(func(t *testing.T, secret, around string, at int) {
		if len(secret) < redact.MinSecret || len(secret) > 100 || !utf8.ValidString(secret) || len(around) > 1000 {
			return
		}
		s := redact.New(map[string]string{"\x00": secret})
		at = min(max(at, 0), len(around))
		for _, text := range []string{secret, url.QueryEscape(secret), jsonOf(secret), html.EscapeString(secret)} {
			if got := s.Replace(around[:at] + text + around[at:]); !strings.Contains(got, "\x00") {
				t.Errorf("%q in %q at %d: %q", text, around, at, got)
			}
		}
	})
}

func BenchmarkReplace(b *testing.B) {
	named := map[string]string{}
	for i := range 50 {
		named[fmt.Sprint(i)] = fmt.Sprintf("secret-%d-of-a-server-%x", i, i*7919)
	}
	s := redact.New(named)
	for name, text := range map[string]string{
		"prose": strings.Repeat("The server answered with status 500 and a page of text. ", 140),
		"JSON":  strings.Repeat(`{\"path\":\"/a/b\",\"text\":\"line\\nline\"}`, 180),
		"hex":   strings.Repeat("736563726574", 660),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Replace(text)
			}
		})
	}
}
