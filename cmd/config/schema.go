package config

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	_ "github.com/toolscript/toolscript/transport/kinds" // for Config.Kind
	"github.com/toolscript/toolscript/transport/upstream"
)

//go:embed schema.tmpl
var schemaTemplate string

// Schema returns the published JSON Schema (draft 2020-12) of the file, with the parts of all kinds
// of servers.
func Schema() []byte {
	var about, types, keys, required []string
	ofHub := []string{"type"}
	for _, k := range upstream.Kinds() {
		if k.About != "" {
			about = append(about, k.Type+" "+k.About)
		}
		words := jsonList(append([]string{k.Type}, k.Words...))
		types = append(types, words)
		if k.Required != "" {
			required = append(required, `{"if": {"properties": {"type": {"enum": [`+words+`]}}}, "then": {`+k.Required+`}}`)
		}
		if k.Schema != "" {
			members := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(k.Schema), "{"), "}")
			keys = append(keys, strings.TrimSpace(strings.ReplaceAll(members, "\n", "\n"+strings.Repeat(" ", 6))))
		}
		for _, key := range k.Keys {
			if !slices.Contains(upstream.Limits(), key) && !slices.Contains(ofHub, key) {
				ofHub = append(ofHub, key)
			}
		}
	}
	return []byte(strings.NewReplacer(
		"{{about}}", strings.Join(about, "; "), "{{types}}", strings.Join(types, ", "), "{{keys}}", strings.Join(keys, ",\n        "),
		"{{ofHub}}", strings.Join(ofHub, "|"), "{{required}}", strings.Join(required, ",\n            "),
	).Replace(schemaTemplate))
}

func jsonList(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }

// rules holds the compiled schema, and its text as a tree for looking up parts.
type rules struct {
	address  string
	document any
	compiled *jsonschema.Schema
}

// schemaRules returns the compiled schema. It panics if the schema does not compile, which
// the tests of this package would show.
var schemaRules = sync.OnceValue(func() rules {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		panic(fmt.Sprintf("config: schema.tmpl: %v", err))
	}
	root, _ := document.(map[string]any)
	address, _ := root["$id"].(string)
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	compiler.DefaultDraft(jsonschema.Draft2020.Unchecked()) // a test checks the schema, and each command would pay for it
	unchecked := maps.Clone(root)
	delete(unchecked, "$schema")
	compiler.RegisterFormat(&jsonschema.Format{Name: "toolscript-duration", Validate: checkDuration})
	compiler.AssertFormat()
	if err := compiler.AddResource(address, unchecked); err != nil {
		panic(fmt.Sprintf("config: schema.tmpl: %v", err))
	}
	return rules{address, document, compiler.MustCompile(address)}
})

// noLoader refuses to load: the schema is complete, and a file must not make this program
// fetch an address.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("schemas are never fetched") }

// at returns the part of the schema at a location that the validator reports, or nil.
func (r rules) at(location string) map[string]any {
	_, fragment, _ := strings.Cut(location, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	at := r.document
	for name := range strings.SplitSeq(pointer, "/") {
		if name == "" {
			continue // the empty part before the first slash
		}
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = object[unescapePointer.Replace(name)]
	}
	object, _ := at.(map[string]any)
	return object
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
