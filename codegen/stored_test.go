package codegen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

func TestStoreTypes(t *testing.T) {
	known := []codegen.Stored{
		{Scope: "session", Key: "last", Type: codegen.ShapeOf(json.RawMessage(`{"at":1}`)).Type()},
		{Scope: "project", Key: "issue/", Begin: true, Type: "number"},
		{Scope: "project", Key: "daily", Run: true},
	}
	for name, text := range map[string]string{"all": codegen.StoreTypes(known), "values": codegen.StoredTypes(known), "declarations": codegen.StoreDeclarations(known)} {
		for _, want := range []string{
			"/** Observed, not guaranteed: { at?: number; [key: string]: any } */\n  get(key: \"last\", options?: { scope?: \"session\" }): Promise<any>;",
			"/** Observed, not guaranteed: number */\n  get(key: `issue/${string}`, options: { scope: \"project\" }): Promise<any>;",
			"\n  run(name: \"daily\"): Promise<any>;",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %s\n%s", name, want, text)
			}
		}
		if all := strings.Contains(text, "list(prefix"); all != (name == "all") {
			t.Errorf("%s has all methods: %t", name, all)
		}
	}
	if text := codegen.StoredTypes(nil) + codegen.StoreDeclarations(nil); text != "" {
		t.Errorf("without values: %q", text)
	}
}

// TestStoreTypesAreBounded: if there are many long types, StoreTypes leaves out types but no keys.
func TestStoreTypesAreBounded(t *testing.T) {
	long := strings.Repeat("number | ", 60) + "null"
	var known []codegen.Stored
	for range 40 {
		known = append(known, codegen.Stored{Scope: "project", Key: "k", Type: long})
	}
	text := codegen.StoredTypes(known)
	if len(text) > 16<<10 || strings.Count(text, `get(key: "k"`) != len(known) {
		t.Errorf("%d bytes, %d keys", len(text), strings.Count(text, `get(key: "k"`))
	}
}

// FuzzStoreTypes checks that keys and names of members stand only in strings and comments,
// and that the declarations still parse.
func FuzzStoreTypes(f *testing.F) {
	for _, text := range breakouts {
		f.Add(text)
	}
	none := toolscript.Catalog{}
	declarations := codegen.Module(none, naming.New(none), codegen.Options{Form: codegen.Declarations}).Text
	f.Fuzz(func(t *testing.T, text string) {
		key := "qqstolenqq " + text + " qqstolenqq"
		value, err := json.Marshal(map[string]any{key: key, "items": []any{map[string]any{key: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		known := []codegen.Stored{
			{Scope: "session", Key: key, Type: codegen.ShapeOf(value).Type()},
			{Scope: "project", Key: key, Run: true, Type: codegen.ShapeOf(value).Type()},
		}
		for name, module := range map[string]string{
			"all": codegen.StoreTypes(known), "values": codegen.StoredTypes(known), "declarations": declarations + codegen.StoreDeclarations(known),
		} {
			if code := outside(t, module); strings.Contains(code, "qqstolenqq") || strings.Contains(code, "`") {
				t.Fatalf("%s: text of a script stands in the code\n%s", name, code)
			}
			if strings.Contains(module, "```") || strings.Contains(module, "</") {
				t.Fatalf("%s: the text can leave a fence or an element\n%s", name, module)
			}
			parse(t, name, module)
		}
	})
}
