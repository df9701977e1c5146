package toolscript_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

func TestIsModulePath(t *testing.T) {
	for path, want := range map[string]bool{
		"lib.ts": true, "parts/a.mts": true, "a.js": true, "a b.mjs": true,
		"": false, ".": false, ".ts/": false, "/lib.ts": false, "./lib.ts": false, "a/../lib.ts": false, "../lib.ts": false, "a//b.ts": false,
		"lib": false, "lib.json": false, "lib.tsx": false, "lib.ts?x.ts": false, "lib#.ts": false, "50%.ts": false, "a(1).ts": false, "c:lib.ts": false,
		`a\b.ts`: false, "a\nb.ts": false, strings.Repeat("a", 198) + ".ts": false,
	} {
		if got := toolscript.IsModulePath(path); got != want {
			t.Errorf("IsModulePath(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestValidateExecRequest(t *testing.T) {
	for _, tt := range []struct {
		name    string
		request toolscript.ExecRequest
		kind    toolscript.Kind // "": the request is valid
		paths   []string
		text    string
	}{
		{name: "nothing set"},
		{name: "words of the contract", request: toolscript.ExecRequest{File: "a b.ts", Rules: toolscript.Rules{Engine: "quickjs", Check: "warn"}}},
		{
			name: "unknown engine", request: toolscript.ExecRequest{Rules: toolscript.Rules{Engine: "node"}},
			kind: toolscript.Unsupported, text: "auto, quickjs, deno",
		},
		{
			name: "check", request: toolscript.ExecRequest{Rules: toolscript.Rules{Check: "Error"}},
			kind: toolscript.Invalid, paths: []string{"/check"}, text: "off, warn, error",
		},
		{
			name: "check and file", request: toolscript.ExecRequest{File: "a\nb", Rules: toolscript.Rules{Check: "x"}},
			kind: toolscript.Invalid, paths: []string{"/check", "/file"},
			text: "off, warn, error",
		},
		{name: "modules", request: toolscript.ExecRequest{Modules: []toolscript.ScriptModule{{Path: "lib.ts"}, {Path: "a b/größe.mjs"}}}},
		{
			name: "a module above the script", request: toolscript.ExecRequest{Modules: []toolscript.ScriptModule{{Path: "lib.ts"}, {Path: "../lib.ts"}}},
			kind: toolscript.Invalid, paths: []string{"/modules/1/path"}, text: `"../lib.ts"`,
		},
		{
			name: "two modules with one path", request: toolscript.ExecRequest{Modules: []toolscript.ScriptModule{{Path: "lib.ts"}, {Path: "lib.ts"}}},
			kind: toolscript.Invalid, paths: []string{"/modules/1/path"}, text: "another module",
		},
		{
			name: "too many modules", request: toolscript.ExecRequest{Modules: make([]toolscript.ScriptModule, toolscript.MostModules+1)},
			kind: toolscript.Invalid, paths: []string{"/modules"}, text: "at most 100",
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
