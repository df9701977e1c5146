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
)

//go:embed schema.json
var schemaText []byte

// Schema returns the published JSON Schema (draft 2020-12) of the file.
func Schema() []byte { return slices.Clone(schemaText) }

// rules holds the compiled schema, and its text as a tree for looking up parts.
type rules struct {
	address  string
	document any
	compiled *jsonschema.Schema
}

// schemaRules returns the compiled schema. It panics if the schema does not compile, which
// the tests of this package would show.
var schemaRules = sync.OnceValue(func() rules {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		panic(fmt.Sprintf("config: schema.json: %v", err))
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
		panic(fmt.Sprintf("config: schema.json: %v", err))
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
