package minilm_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
)

func TestReadable(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"read_file: Liest, was da ist": "read_file: Liest, was da ist",
		"café — naïve, 5 µm, e\u0301":  "café — naïve, 5 µm, e\u0301",
		"bing search 使用必应，搜索 query":  "bing search query",
		"get weather Погода in Rome": "get weather in Rome",
		"मौसम weather की":            "weather",
		"send 🚀 now":                 "send now",
		"使用必应搜索":                     "使用必应搜索",
		"12306 使用":                   "12306 使用",
	} {
		if got := strings.Join(strings.Fields(minilm.Readable(text)), " "); got != want {
			t.Errorf("of %q %q is left, want %q", text, got, want)
		}
	}
}

// TestEngineReads: documents are filtered by Readable, queries are not.
func TestEngineReads(t *testing.T) {
	e := minilm.NewEngine(0, nil)
	defer e.Close()
	const text, readable = "bing search 使用必应搜索", "bing search"
	want := embedOne(t, e, readable)
	if far := farthest(embedOne(t, e, text), want); far > 1e-5 {
		t.Errorf("the document differs by %g", far)
	}
	if far := farthest(embedOne(t, e.Background(func() {}), text), want); far > 1e-5 {
		t.Errorf("the document embedded behind others differs by %g", far)
	}
	query, err := e.EmbedQuery(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	if far := farthest(query, want); far < 0.01 {
		t.Errorf("the query differs by %g only", far)
	}
}

func FuzzReadable(f *testing.F) {
	f.Add("bing 使用必应")
	f.Add("\xff\u0301я")
	f.Fuzz(func(t *testing.T, text string) {
		once := minilm.Readable(text)
		if twice := minilm.Readable(once); twice != once {
			t.Fatalf("%q, then %q", once, twice)
		}
		if letters := strings.IndexFunc(text, unicode.IsLetter) >= 0; letters != (strings.IndexFunc(once, unicode.IsLetter) >= 0) {
			t.Fatalf("%q has become %q", text, once)
		}
	})
}
