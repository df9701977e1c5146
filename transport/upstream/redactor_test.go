package upstream_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestRedactor(t *testing.T) {
	c := upstream.NewRedactor(upstream.Config{
		Env:     map[string]string{"TOKEN": "sesame-open-1234"},
		Headers: map[string]string{"Authorization": "Bearer sesame-shut-5678"},
		Secrets: map[string]string{"${secret:KEY}": "sesame-door-9012"},
	})
	for _, text := range []string{"token sesame-open-1234\nnext", "Bearer sesame-shut-5678", `{"key": "sesame-door-9012"}`, "c2VzYW1lLWRvb3ItOTAxMg=="} {
		wrapped := fmt.Errorf("%s: %w", text, io.EOF)
		for _, err := range []error{wrapped, &toolscript.Error{Kind: toolscript.Timeout, Server: "s", Err: wrapped}, fmt.Errorf("outside: %w", wrapped)} {
			quiet := c.Error(err)
			if got := quiet.Error(); strings.Contains(got, "sesame") || strings.Contains(got, "c2VzYW1l") || !errors.Is(quiet, io.EOF) || toolscript.KindOf(quiet) != toolscript.KindOf(err) {
				t.Errorf("%v became %v", err, quiet)
			}
		}
	}
	if got := c.Text("a\nb"); got != "a\nb" || c.Error(nil) != nil {
		t.Errorf("got %q, %v", got, c.Error(nil))
	}
	if err := (upstream.Redactor{}).Error(io.EOF); err != io.EOF { //nolint:errorlint // the same error
		t.Errorf("got %v", err)
	}
}
