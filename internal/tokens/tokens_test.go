package tokens_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dlclark/regexp2"
	"github.com/tiktoken-go/tokenizer"

	"github.com/toolscript/toolscript/internal/tokens"
)

// library returns the counts of tiktoken-go/tokenizer, which is too slow and too large for
// the program.
func library(tb testing.TB) func(string) int {
	tb.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		tb.Fatal(err)
	}
	return func(text string) int {
		n, err := codec.Count(text)
		if err != nil {
			tb.Fatal(err)
		}
		return n
	}
}

var texts = []string{
	"", "a", " ", "\n", "  ", " \n ", "\r\n", "Hello, world!", "don't I'LL we've 'x' ''s", "ABCdef ABC aBc ǅungla",
	`{"type":"object","properties":{"owner":{"type":"string"},"n":{"maximum":12345678901234567890}}}`,
	"日本語のテキスト、中文字符。한국어", "Ünïcödé e\u0301\u0301 \u0301x !\u0301 !!\u0301a A\u0301B", "😀👩‍👩‍👧‍👦 🇩🇪", "a/b//c\n//\r\nhttps://example.com/x?y=z",
	"1234567 1,234.5 ٣٤٥ Ⅷ ½", "\t\tif (x) {\n\t\t\treturn\n\t\t}\n  x", "x \u00a0 y\u2028z\u0085", "<|endoftext|>", "ʰa Aʰ ªº",
	strings.Repeat("a", 1000), strings.Repeat(" ", 1000), strings.Repeat("ab", 5000), strings.Repeat("-=", 300) + "\n",
	"aGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0IGVuY29kZWQgdGV4dCB3aXRoIG1hbnkgY2hhcmFjdGVycw==",
}

func TestCountIsThatOfTiktoken(t *testing.T) {
	want := library(t)
	for _, text := range texts {
		if got, exact := tokens.Count(text); got != want(text) || !exact {
			t.Errorf("%.60q: %d tokens, exact %t; want %d", text, got, exact, want(text))
		}
	}
}

// TestCountOfFiles compares the counts of real texts: source code, documents and schemas.
func TestCountOfFiles(t *testing.T) {
	want := library(t)
	var files []string
	for _, pattern := range []string{"*.go", "../../docs/*.md", "../../codegen/testdata/schemas/*.json", "../../docs/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = lines.ReplaceAll(text[:min(len(text), tokens.MostExact)], []byte("\n"))
		if got, _ := tokens.Count(text); got != want(string(text)) {
			t.Errorf("%s: %d tokens, want %d", file, got, want(string(text)))
		}
	}
}

// TestLongTexts: the count of samples is near the exact one where a text is alike
// throughout, and texts of one character end.
func TestLongTexts(t *testing.T) {
	want := library(t)
	r := rand.New(rand.NewPCG(1, 2))
	var mixed strings.Builder
	for mixed.Len() < 1<<20 {
		mixed.WriteString([]string{`{"name":"issue","number":`, "12345", `,"title":"Der Bau schlägt fehl"},`, "日本語のテキスト", "\n"}[r.IntN(5)])
	}
	for name, text := range map[string]string{
		"mixed": mixed.String(), "letters": strings.Repeat("a", 1e6), "spaces": strings.Repeat(" ", 1e6), "lines": strings.Repeat("\n", 1e6),
		"three bytes each": strings.Repeat("語", 400_000),
	} {
		got, exact := tokens.Count(text)
		if exact {
			t.Errorf("%s: %d bytes were counted exactly", name, len(text))
		}
		if n := want(text); math.Abs(float64(got-n)) > float64(n)/50 {
			t.Errorf("%s: %d tokens; want %d within 2 %%", name, got, n)
		}
	}
	if n, exact := tokens.Count(strings.Repeat("\x80", 1e6)); n < 1 || exact {
		t.Errorf("no UTF-8: %d, %t", n, exact)
	}
}

// FuzzPieces compares the pieces with those of the expression that defines them.
func FuzzPieces(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Add("\n\t\t\n\x7f")
	expression := regexp2.MustCompile(tokens.Expression, regexp2.None)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		if len(text) > 4096 {
			return
		}
		rest := text
		for match, err := expression.FindStringMatch(text); match != nil; match, err = expression.FindNextMatch(match) {
			if err != nil {
				t.Fatal(err)
			}
			size := tokens.Piece([]byte(rest))
			if rest[:size] != match.String() {
				t.Fatalf("%q: piece %q, want %q", text, rest[:size], match.String())
			}
			rest = rest[size:]
		}
		if rest != "" {
			t.Errorf("%q: no piece at %q", text, rest)
		}
	})
}

// lines are what the library splits otherwise than its own expression: ends of lines with
// blanks between them. It also leaves out the character DEL.
var lines = regexp.MustCompile(`[\s\p{Z}\x{85}]*[\r\n][\s\p{Z}\x{85}]*`)

func FuzzCount(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	want := library(f)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x7f", "?")
		if text = lines.ReplaceAllString(text, "\n"); len(text) > tokens.MostExact {
			return
		}
		if got, _ := tokens.Count(text); got != want(text) {
			t.Errorf("%q: %d tokens, want %d", text, got, want(text))
		}
	})
}

func BenchmarkCount(b *testing.B) {
	small := `{"content":[{"type":"text","text":"{\"issues\":[{\"number\":17,\"title\":\"The build fails on Windows\",\"state\":\"open\"}]}"}]}`
	for name, text := range map[string]string{
		"small": small, "256KB": strings.Repeat(small, tokens.MostExact/len(small)), "5MB": strings.Repeat(small, 5<<20/len(small)),
		"letters": strings.Repeat("a", 1e6), "spaces": strings.Repeat(" ", 1e6),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				tokens.Count(text)
			}
		})
	}
}
