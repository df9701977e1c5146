package arguments_test

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript/cmd/arguments"
)

func TestInexact(t *testing.T) {
	for value, want := range map[string]string{
		`{"a":9007199254740993}`:                  "9007199254740993",
		`{"a":[{"b":-9007199254740993}]}`:         "-9007199254740993",
		`{"a":9007199254740992,"b":1e400}`:        "",
		`{"a":"9007199254740993"}`:                "",
		`{"a":0.1,"b":-0,"c":123456789012}`:       "",
		`{"a":1000000000000000000000}`:            "",
		`{"a":1` + string(make0(400)) + `,"b":1}`: "1" + string(make0(400)),
	} {
		if got := arguments.Inexact(json.RawMessage(value)); got != want {
			t.Errorf("Inexact(%.60s) = %.60q, want %.60q", value, got, want)
		}
	}
}

func make0(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = '0'
	}
	return out
}
