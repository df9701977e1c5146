package texts_test

import (
	"fmt"
	"testing"

	"github.com/toolscript/toolscript/internal/texts"
)

func TestCheckUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"":              "<nil>",
		"é\n😀":          "<nil>",
		"\ufeffa":       "<nil>",
		"a\nb\xfcc\n":   "not UTF-8 text (the first wrong line is 2); save it as UTF-8",
		"\xff\xfea\x00": "not UTF-8 text (it looks like UTF-16); save it as UTF-8",
		"\xfe\xff\x00a": "not UTF-8 text (it looks like UTF-16); save it as UTF-8",
	} {
		if got := fmt.Sprint(texts.CheckUTF8([]byte(text))); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
