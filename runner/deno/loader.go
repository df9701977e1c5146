package deno

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/runner/quickjs/prelude"
)

//go:embed loader/*.js
var loaderFiles embed.FS

// loaderText returns the file with which every process of Deno starts: code that gives Deno
// the interface of an engine, the prelude, and code that runs the script.
func loaderText() (string, error) {
	var b strings.Builder
	b.WriteString("const host = {}, internal = {};\n")
	b.WriteString("const InternalError = class extends Error {}; // QuickJS has it for a full memory\n")
	parts := prelude.Parts()
	// V8 has its own dates, arrays, stacks and locales. The remaining parts follow the parts
	// that they need.
	parts = slices.DeleteFunc(parts, func(part string) bool {
		return part == "intrinsics" || part == "date" || part == "array" || part == "json" || part == "stack" || strings.HasPrefix(part, "intl")
	})
	add := func(source func(string) (string, error), prefix string, names ...string) error {
		for _, name := range names {
			text, err := source(name)
			if err != nil {
				return fmt.Errorf("loader: %w", err)
			}
			fmt.Fprintf(&b, "%s(%s)(host, internal);\n", prefix, text)
		}
		return nil
	}
	for _, err := range []error{
		add(prelude.Source, "", "intrinsics", "json"),
		add(loaderPart, "", "wire", "stack", "classes", "host", "globals"),
		add(prelude.Source, "", parts...),
	} {
		if err != nil {
			return "", err
		}
	}
	b.WriteString("await import(\"toolscript\"); // evaluated now, and found by the script's own import\n")
	if err := add(prelude.Source, "", prelude.Harden); err != nil {
		return "", err
	}
	if err := add(loaderPart, "await ", "main"); err != nil {
		return "", err
	}
	return b.String(), nil
}

func loaderPart(name string) (string, error) {
	text, err := loaderFiles.ReadFile("loader/" + name + ".js")
	return string(text), err
}
