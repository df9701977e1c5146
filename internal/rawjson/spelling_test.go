package rawjson_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscript/toolscript/internal/rawjson"
)

func TestWhole(t *testing.T) {
	for value, want := range map[string]string{
		`{"a":1}`:                   `{"a":1}`,
		`"\ud83d\ude00"`:            `"\ud83d\ude00"`,
		`"\uD83D\uDE00"`:            `"\uD83D\uDE00"`,
		`"a\ud83d"`:                 "\"a\uFFFD\"",
		`"\ude00\ud83d"`:            "\"\uFFFD\uFFFD\"",
		`"\ud83d\ud83d\ude00x"`:     "\"\uFFFD\\ud83d\\ude00x\"",
		`"\\ud83d"`:                 `"\\ud83d"`,
		`"\\\ud83d\\"`:              "\"\\\\\uFFFD\\\\\"",
		`{"\udfff":["\udfff\n",2]}`: "{\"\uFFFD\":[\"\uFFFD\\n\",2]}",
		"\"\xff\"":                  "\"\uFFFD\"",
	} {
		if got := string(rawjson.Whole([]byte(value))); got != want {
			t.Errorf("Whole(%s) = %s, want %s", value, got, want)
		}
	}
}

// FuzzWhole checks that encoding/json, which decodes lone surrogates to U+FFFD, decodes the result to
// the same value, and that the result has no lone surrogates.
func FuzzWhole(f *testing.F) {
	f.Add(`["\ud83d","\ud83d\ude00","\\ud83d","\udfff\\"]`)
	f.Fuzz(func(t *testing.T, text string) {
		var before, after any
		if json.Unmarshal([]byte(text), &before) != nil {
			return
		}
		whole := rawjson.Whole([]byte(text))
		if err := json.Unmarshal(whole, &after); err != nil || !utf8.Valid(whole) {
			t.Fatalf("%q became %q: %v", text, whole, err)
		}
		x, _ := json.Marshal(before)
		y, _ := json.Marshal(after)
		if string(x) != string(y) || string(rawjson.Whole(whole)) != string(whole) {
			t.Errorf("%q became %q", text, whole)
		}
	})
}

func TestHasOwnSpelling(t *testing.T) {
	for value, want := range map[string]bool{
		`{"a":1.5,"b":-7,"c":[0.1,1e-7,1e+21,123456789012345678901]}`: false,
		`1.0`: true, `[1e2]`: true, `0.10`: true, `1E+21`: true, `-0`: true, `1e999`: true, `0.1234567890123456789`: true, `12345678901234567.89`: true,
		`"2024-01-01"`: false, `"v1"`: false, `{"x":-0.5}`: false,
	} {
		if got := rawjson.HasOwnSpelling([]byte(value)); got != want {
			t.Errorf("HasOwnSpelling(%s) = %t", value, got)
		}
	}
}

func TestRespell(t *testing.T) {
	original := ` {"a": [1.0, 1e2, -0, 0.1234567890123456789, 1e999], "b\u00e9": "x\ud83d \u9879\u76ee 1.0", "id": 9007199254740993, "t": true}`
	value := `{"a":[1,100,0,0.12345678901234568,null],"bé":"x` + "\uFFFD" + ` 项目 1.0","id":9007199254740993,"t":true}`
	want := `{"a":[1.0,1e2,-0,0.1234567890123456789,1e999],"bé":"x` + "\uFFFD" + ` 项目 1.0","id":9007199254740993,"t":true}`
	if got, same := rawjson.Respell([]byte(value), []byte(original)); !same || string(got) != want {
		t.Errorf("Respell = %s, %t; want %s", got, same, want)
	}
	for _, change := range [][2]string{
		{"100", "101"}, {"9007199254740993", "9007199254740992"}, {`"t":true`, `"t":false`}, {"[1,", "["}, {`"id"`, `"ix"`}, {"null", "1"}, {`,"t":true`, ""}, {"[1,", `["1",`},
	} {
		other := strings.Replace(value, change[0], change[1], 1)
		if _, same := rawjson.Respell([]byte(other), []byte(original)); same {
			t.Errorf("%s is the same", other)
		}
	}
	for _, pair := range [][2]string{{`null`, `5`}, {`1`, `true`}} {
		if _, same := rawjson.Respell([]byte(pair[0]), []byte(pair[1])); same {
			t.Errorf("%s is the same as %s", pair[0], pair[1])
		}
	}
}
