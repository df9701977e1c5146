package mcp

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestPlain(t *testing.T) {
	for value, want := range map[string]string{
		`{"a":"\u003cdiv\u003e \u0026 \u00e4\u2028","b":12345678901234567890}`: `{"a":"<div> & ä` + "\u2028" + `","b":12345678901234567890}`,
		`"\\u003c \"\n"`: `"\\u003c \"\n"`,
		`{"a":1`:         `{"a":1`,
	} {
		if got := string(plain([]byte(value))); got != want {
			t.Errorf("plain(%s) = %s, want %s", value, got, want)
		}
	}
}

// FuzzPlain checks that the value stays the same.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{`"\u003c"`, `{"a":[1e5,null,"\\u003c"]}`, `"\ud83d\ude00"`, "{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var before, after any
		if json.Unmarshal([]byte(text), &before) != nil {
			return
		}
		if short := plain([]byte(text)); json.Unmarshal(short, &after) != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("plain(%q) = %q", text, short)
		}
	})
}
