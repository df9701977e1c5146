package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscript/toolscript/cmd/config"
)

// The published schema, which other validators use, is complete, valid for draft 2020-12,
// and accepts the files that this program accepts.
func TestSchemaIsWhole(t *testing.T) {
	schema := compileSchema(t)
	text, err := os.ReadFile(filepath.Join("testdata", "complete.toolscript.json"))
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		string(text):                true,
		empty:                       true,
		`{}`:                        false,
		`{"mcpServers": {"s": {}}}`: false,
		`{"mcpServers": {"s": {"command": "x", "typ": "x"}}}`:   false,
		`{"mcpServers": {"s": {"command": "x", "timeout": 0}}}`: false,
	} {
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(instance); (err == nil) != valid {
			t.Errorf("%s: %v, want valid %v", text, err, valid)
		}
	}
}

func TestSchemaIsACopy(t *testing.T) {
	clear(config.Schema())
	if !bytes.HasPrefix(config.Schema(), []byte("{")) {
		t.Error("a caller can change the schema")
	}
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(config.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(refuse{})
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

type refuse struct{}

func (refuse) Load(address string) (any, error) { return nil, errors.New("asked for " + address) }
