package texts_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/test/toolslist"
)

// exact returns a function that counts tokens with tiktoken-go/tokenizer. That library is too slow
// and too large for the program.
func exact(tb testing.TB) func(string) int {
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

// within checks that the estimate of a text differs from the exact count by at most percent.
func within(t *testing.T, percent float64, what, text string, exact int) {
	t.Helper()
	got := texts.Tokens(text)
	off := 100 * (float64(got)/float64(exact) - 1)
	t.Logf("%-30s %7d tokens, estimated %+.1f %%", what, exact, off)
	if math.Abs(off) > percent {
		t.Errorf("%s: %d tokens; want %d within %v %%", what, got, exact, percent)
	}
}

// TestPublicTools: estimates for the tools of each public server are within ten percent.
func TestPublicTools(t *testing.T) {
	count := exact(t)
	lists, err := toolslist.Read(toolslist.Dir("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		within(t, 10, list.Server, list.Raw, count(list.Raw))
	}
}

// TestFiles: estimates for documents, schemas and source code are within ten percent.
func TestFiles(t *testing.T) {
	count := exact(t)
	for _, pattern := range []string{"*.go", "../../docs/*.md", "../../codegen/testdata/schemas/*.json", "../../docs/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %q, %v", pattern, files, err)
		}
		var all strings.Builder
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text[:min(len(text), 64<<10)])
		}
		within(t, 10, pattern, all.String(), count(all.String()))
	}
}

// TestTexts: estimates for texts without English words are within fifteen percent.
func TestTexts(t *testing.T) {
	count := exact(t)
	for name, text := range map[string]string{
		"German":   "Der Bau schlägt fehl, weil die Prüfung der Größe länger dauert als erwartet. Bitte überprüfen Sie die Einstellungen.\n",
		"Russian":  "Сборка завершилась с ошибкой, потому что проверка размера заняла больше времени, чем ожидалось.\n",
		"Japanese": "ビルドが失敗しました。サイズの確認に予想以上の時間がかかったためです。設定を確認してください。\n",
		"Chinese":  "构建失败，因为检查大小所需的时间比预期的长。请检查设置，然后重试。\n",
		"times":    "2026-11-30T02:40:12.123Z 192.168.1.10 200 1532 0.0031\n",
		"UUID":     "3f2504e0-4f89-11d3-9a0c-0305e82c3301\n",
		"base64":   "aGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0IGVuY29kZWQgdGV4dCB3aXRoIG1hbnkgY2hhcmFjdGVycw==\n",
		"rows":     `{"name":"issue","number":12345,"title":"The build fails on Windows","state":"open"},` + "\n",
	} {
		text = strings.Repeat(text, 50)
		within(t, 15, name, text, count(text))
	}
}

// FuzzTokens: Tokens neither panics nor returns an impossible number for any text.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{"", "a", " \n ", "\xe4", "\xf0\x9f", "😀", "ABCdef 1\t", "-----", "\xff\x80"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n := texts.Tokens(text); n < 0 || n > 2*len(text)+1 {
			t.Errorf("%q: %d tokens", text, n)
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	small := `{"content":[{"type":"text","text":"{\"issues\":[{\"number\":17,\"title\":\"The build fails on Windows\",\"state\":\"open\"}]}"}]}`
	for name, text := range map[string]string{
		"small": small, "5MB": strings.Repeat(small, 5<<20/len(small)), "letters": strings.Repeat("a", 1e6), "digits and letters": strings.Repeat("aaaa1", 2e5),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				texts.Tokens(text)
			}
		})
	}
}
