package rawjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscript/toolscript/internal/rawjson"
)

func FuzzQuoted(f *testing.F) {
	for _, text := range []string{"", "a", `"\/`, "\x00\b\t\n\v\f\r\x1f\x7f", "ä\u2028😀", "\xff", strings.Repeat("\x01", 100)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := rawjson.AppendQuoted([]byte("x"), text)[1:]
		var back string
		if err := json.Unmarshal(got, &back); err != nil || back != strings.ToValidUTF8(string(text), "\ufffd") && utf8.Valid(text) {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
		if utf8.Valid(text) && len(got) != rawjson.QuotedLen(text) {
			t.Errorf("%q has %d bytes, not %d", got, len(got), rawjson.QuotedLen(text))
		}
	})
}

func FuzzCompact(f *testing.F) {
	for _, text := range []string{"{}", " [ 1 , 2 ] ", `{ "a b\" " : "\\" , "c":[ true ,null ]}`, "\t1\r\n", `"\u0041 "`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want bytes.Buffer
		if json.Compact(&want, text) != nil {
			t.Skip()
		}
		if got := rawjson.AppendCompact(nil, text); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%q becomes %q, want %q", text, got, want.Bytes())
		}
	})
}
