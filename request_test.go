package toolscript_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

func TestValidateExecRequest(t *testing.T) {
	for _, tt := range []struct {
		name    string
		request toolscript.ExecRequest
		kind    toolscript.Kind // "": it is valid
		paths   []string
		text    string
	}{
		{name: "nothing set"},
		{name: "words of the contract", request: toolscript.ExecRequest{Engine: "quickjs", Check: "warn", File: "a b.ts"}},
		{
			name: "engine that is not here", request: toolscript.ExecRequest{Engine: "node"},
			kind: toolscript.Unsupported, text: "auto, quickjs, deno",
		},
		{
			name: "check", request: toolscript.ExecRequest{Check: "Error"},
			kind: toolscript.Invalid, paths: []string{"/check"}, text: "off, warn, error",
		},
		{
			name: "check and file", request: toolscript.ExecRequest{Check: "x", File: "a\nb"},
			kind: toolscript.Invalid, paths: []string{"/check", "/file"},
			text: "off, warn, error",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.request.Validate()
			if tt.kind == "" {
				if err != nil {
					t.Errorf("Validate = %v", err)
				}
				return
			}
			var e *toolscript.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(e.Err.Error(), tt.text) {
				t.Fatalf("Validate = %#v, want %s: %s", err, tt.kind, tt.text)
			}
			var paths []string
			for _, d := range e.Details {
				paths = append(paths, d.Path)
			}
			if diff := cmp.Diff(tt.paths, paths); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}
