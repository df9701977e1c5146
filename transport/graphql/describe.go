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
	Operations []operationOutput
	Warnings   []string
}

// operationOutput is an operation without the schemas of its tool.
type operationOutput struct {
	Tool      toolscript.Tool
	Kind      string
	Field     string
	Args      []argumentOutput `json:",omitempty"`
	Choice    string           `json:",omitempty"`
	Selection string           `json:",omitempty"`
}

type argumentOutput struct{ Name, Type string }

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
	operations := make([]operation, len(out.Operations))
	for i, o := range out.Operations {
		o.Tool.InputSchema, o.Tool.OutputSchema = schemas[2*i], schemas[2*i+1]
		operations[i] = o.operation()
	}
	return operations, out.Warnings, nil
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
	out := schemaOutput{make([]operationOutput, len(operations)), types.warnings}
	schemas := make([][]byte, 0, 2*len(operations))
	for i, o := range operations {
		schemas = append(schemas, o.tool.InputSchema, o.tool.OutputSchema)
		out.Operations[i] = o.output()
	}
	return upstream.Pack(out, schemas...)
}

func (o *operation) output() operationOutput {
	out := operationOutput{Tool: o.tool, Kind: o.kind, Field: o.field.Name, Choice: o.choice, Selection: o.selection}
	out.Tool.InputSchema, out.Tool.OutputSchema = nil, nil
	for _, a := range o.field.Args {
		out.Args = append(out.Args, argumentOutput{a.Name, o.types[a.Name]})
	}
	return out
}

// operation returns the operation. Its field has only the parts that a call needs.
func (o operationOutput) operation() operation {
	out := operation{tool: o.Tool, kind: o.Kind, field: field{Name: o.Field}, choice: o.Choice, selection: o.Selection, types: map[string]string{}}
	for _, a := range o.Args {
		out.field.Args = append(out.field.Args, input{Name: a.Name})
		out.types[a.Name] = a.Type
	}
	return out
}
