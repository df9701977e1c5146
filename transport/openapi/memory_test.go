package openapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// dialBig returns a function that connects to an API with the operation big.
func dialBig(t *testing.T) answers.Dial {
	t.Helper()
	return func(url string, budget *budget.Budget) *upstream.Conn {
		t.Helper()
		operation := `{"/big": {"get": {"operationId": "big", "responses": {"200": {"description": "d"}}}}}`
		settings := openapi.Settings{Spec: answers.File(t, "openapi.json", document("3.1.0", operation)), BaseURL: url}
		conn, err := answers.Open(t, openapi.Dialer{Answers: budget}.Dial, settings, upstream.Config{}, upstream.Events{})
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
}

// TestMemoryOfAnswers makes many calls at once with compressed answers, each of which needs more
// bytes than are free: all succeed within the budget. Even the short form takes more than 10 s,
// because the answers must exceed the budget.
func TestMemoryOfAnswers(t *testing.T) {
	for name, body := range map[string]answers.Body{
		"JSON":              {Media: "application/json", Head: `["`, Part: "x", Tail: `"]`},
		"JSON with spaces":  {Media: "application/json", Head: `[`, Part: " ", Tail: `]`},
		"JSON that is none": {Media: "application/json", Head: `[`, Part: "[", Tail: `]`},
		"text with escapes": {Media: "text/plain", Part: "\x01"},
		"bytes":             {Media: "application/octet-stream", Part: "\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "JSON that is none" && name != "bytes" {
				t.Skip("the short form has two bodies")
			}
			answers.Within(t, dialBig(t), body, "big", func(json.RawMessage) bool { return true })
		})
	}
}

// TestAnswersThatAreTooLong: an answer that is too long is an error, however it is compressed.
func TestAnswersThatAreTooLong(t *testing.T) {
	for _, tt := range []struct {
		body answers.Body
		size int
		want string
	}{
		{answers.Body{Media: "application/json", Head: `["`, Part: "x", Tail: `"]`}, 65 << 20, "more than 64 MB"},
		{answers.Body{Media: "text/plain", Part: "\x01"}, 20 << 20, "96 MB as JSON"}, // 120 MB as JSON
	} {
		conn := dialBig(t)(answers.Serve(t, tt.body.Media, tt.body.Compress(t, tt.size)), budget.New(func() int64 { return 1 << 30 }))
		if _, err := answers.Of(t, conn, "big", "{}"); toolscript.KindOf(err) != toolscript.TooLarge || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.want, err)
		}
	}
}
