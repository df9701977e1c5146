package toolscript_test

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript"
)

func TestPlainJSON(t *testing.T) {
	got, err := toolscript.PlainJSON(map[string]any{"text": "a < b && c > d", "raw": json.RawMessage(`{"kept": "\u003c&" }`)})
	if want := `{"raw":{"kept":"\u003c&"},"text":"a < b && c > d"}`; err != nil || string(got) != want {
		t.Errorf("PlainJSON = %s, %v; want %s", got, err, want)
	}
	if _, err := toolscript.PlainJSON(func() {}); err == nil {
		t.Error("a function has JSON")
	}
}
