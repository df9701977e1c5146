package api_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

// FuzzParseObject compares the body parser with encoding/json. The parser accepts exactly the bodies that
// are one JSON object in UTF-8, with or without a byte order mark, and does not change them.
func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{"", " ", "{}", ` {"a":[1]} `, "[]", "null", `"x"`, "{}{}", "{} x", `{"a"`, "{\"a\":\"\xff\"}", "\ufeff{}", "-", "\v{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := api.ParseObject(bytes.Clone(body))
		text := bytes.Trim(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
		isObject := len(text) > 0 && text[0] == '{' && json.Valid(text) && utf8.Valid(body)
		switch {
		case len(text) == 0:
			if got != nil || err != nil {
				t.Errorf("nothing = %q, %v", got, err)
			}
		case isObject:
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%q = %q, %v", body, got, err)
			}
		default:
			if got != nil || toolscript.KindOf(err) != toolscript.Invalid {
				t.Errorf("%q = %q, %v; want kind invalid", body, got, err)
			}
		}
	})
}

// FuzzParseExec: an accepted request can be encoded again without changing its meaning.
func FuzzParseExec(f *testing.F) {
	for _, seed := range []string{`{"code":""}`, `{"code":"x","limits":{"cpuMs":1},"allow":["a"]}`, `{"code":null}`, `{"limits":{"cpuMs":-1}}`, `{"CODE":"x"}`, `{"code":1e999}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := api.ParseExec(body)
		if err != nil {
			if toolscript.KindOf(err) != toolscript.Invalid {
				t.Errorf("%q = %v; want kind invalid", body, err)
			}
			return
		}
		again, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := api.ParseExec(again); err != nil {
			t.Errorf("%q was taken, %q is not: %v", body, again, err)
		}
	})
}
