package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestSchema compares the published schema of the configuration with that of the program, which
// has the parts of all kinds of servers.
func TestSchema(t *testing.T) {
	same(t, "../../cmd/config/schema.json", func(string) string { return string(config.Schema()) })
}

// TestTypes compares the table of types in the documentation with the kinds of servers.
func TestTypes(t *testing.T) {
	var table strings.Builder
	table.WriteString("\n| type | fields | page |\n|---|---|---|\n")
	for _, k := range upstream.Kinds() {
		page, _, _ := strings.Cut(k.Page, "#")
		if _, err := os.Stat("../../docs/" + page); err != nil {
			t.Errorf("the page of the kind %s: %v", k.Type, err)
		}
		name := code(k.Type)
		if len(k.Words) > 0 {
			name += " or " + code(k.Words...)
		}
		fmt.Fprintf(&table, "| %s | %s | [%s](%s) |\n", name, code(slices.Sorted(slices.Values(k.Keys))...), page, k.Page)
	}
	same(t, "../../docs/configuration.md", func(now string) string {
		before, rest, _ := strings.Cut(now, "<!-- written by go test ./release/generate -update -->\n")
		_, after, found := strings.Cut(rest, "<!-- end -->\n")
		if !found {
			t.Fatal("the documentation of the configuration has no place for the table of types")
		}
		return before + "<!-- written by go test ./release/generate -update -->\n" + table.String() + "\n<!-- end -->\n" + after
	})
}

func code(words ...string) string { return "`" + strings.Join(words, "`, `") + "`" }

// same compares a file with what made returns for its text. With -update, it writes the file.
func same(t *testing.T, path string, made func(now string) string) {
	t.Helper()
	now, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := made(string(now))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(now)); diff != "" {
		t.Errorf("%s is not that of the program (-program +file); write it with: go test ./release/generate -update\n%s", path, diff)
	}
}
