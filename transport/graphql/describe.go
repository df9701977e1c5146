package graphql

import (
	"context"
	"errors"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Schema is the conversion of a schema to the operations that the settings select. Its input is a
// schemaInput and the text of the schema; its output is a schemaOutput and the schemas of the tools.
var Schema = upstream.ConvertKind{Name: "graphql", Most: maxSchemas + maxOther, Do: convertSchema}

// maxOther is the maximum size of operations without their schemas: names, descriptions, selections.
const maxOther = 32 << 20

type schemaInput struct {
	Spec       string   `json:"spec"` // path of the text, if it is in the schema definition language; "": the text is an introspection result
	Operations []string `json:"operations"`
}

type schemaOutput struct {
	Operations []operation // without the schemas of their tools
	Warnings   []string
}

// describe lets a worker process convert a schema. The strings are warnings about the schema.
func (d Dialer) describe(ctx context.Context, s Settings, text []byte) ([]operation, []string, error) {
	input, err := upstream.Pack(schemaInput{s.Spec, s.Operations}, text)
	if err != nil {
		return nil, nil, err
	}
	packed, err := Schema.Convert(ctx, d.Convert, input, nil)
	if err != nil {
		return nil, nil, err
	}
	var out schemaOutput
	schemas, err := upstream.Unpack(packed, &out)
	if err == nil && len(schemas) != 2*len(out.Operations) {
		err = errors.New("a fault of toolscript: the operations have other schemas")
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range out.Operations {
		tool := &out.Operations[i].Tool
		tool.InputSchema, tool.OutputSchema = schemas[2*i], schemas[2*i+1]
	}
	return out.Operations, out.Warnings, nil
}

// convertSchema implements Schema.
func convertSchema(input []byte, _ upstream.ConvertNeed) ([][]byte, error) {
	var in schemaInput
	texts, err := upstream.Unpack(input, &in)
	if err != nil {
		return nil, err
	}
	if len(texts) != 1 {
		return nil, errors.New("a fault of toolscript: there is no schema")
	}
	var types *schema
	if in.Spec != "" {
		types, err = fromSDL(in.Spec, string(texts[0]))
	} else {
		types, err = fromIntrospection(texts[0])
	}
	if err != nil {
		return nil, err
	}
	operations, err := types.operations(func(name string) bool {
		return len(in.Operations) == 0 || slices.ContainsFunc(in.Operations, func(entry string) bool { return toolscript.MatchName(entry, name) })
	})
	if err != nil {
		return nil, err
	}
	schemas := make([][]byte, 0, 2*len(operations))
	for i := range operations {
		tool := &operations[i].Tool
		schemas = append(schemas, tool.InputSchema, tool.OutputSchema)
		tool.InputSchema, tool.OutputSchema = nil, nil
	}
	return upstream.Pack(schemaOutput{operations, types.warnings}, schemas...)
}
