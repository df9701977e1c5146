package openapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Document is the conversion of an OpenAPI document to the operations that the settings
// select. Its input is a documentInput and the document; its output is a documentOutput and
// the schemas of the tools. It requests the other files that the document refers to.
var Document = upstream.ConvertKind{Name: "openapi", Most: maxSchemas + maxOther, Do: convertDocument}

// maxOther is the maximum size of operations without their schemas: names, descriptions,
// parameters. For GitHub's document, that is 1 MB.
const maxOther = 16 << 20

type documentInput struct {
	Spec       string   `json:"spec"`
	BaseURL    string   `json:"baseUrl"`
	Operations []string `json:"operations"`
	Sent       []sentParameter
}

type documentOutput struct {
	Base        string
	Title       string
	Version     string
	Description string
	Warnings    []string
	Operations  []operationOutput
}

// operationOutput is an operation without its schemas.
type operationOutput struct {
	Tool       toolscript.Tool
	Method     string
	Path       string
	Base       string            `json:",omitempty"`
	Tags       []string          `json:",omitempty"`
	Parameters []parameterOutput `json:",omitempty"`
	Body       *bodyOutput       `json:",omitempty"`
	Accept     string            `json:",omitempty"`
	Choice     string            `json:",omitempty"`
	Headers    map[string]bool   `json:",omitempty"`
	Silent     bool              `json:",omitempty"`
	Text       bool              `json:",omitempty"`
}

type parameterOutput struct {
	Name      string
	Wire      string
	In        string
	Style     string
	Explode   bool   `json:",omitempty"`
	Raw       bool   `json:",omitempty"`
	JSON      bool   `json:",omitempty"`
	Otherwise []byte `json:",omitempty"`
}

type bodyOutput struct {
	Media    string
	Required bool
	Whole    string                     `json:",omitempty"`
	Open     bool                       `json:",omitempty"`
	Fields   map[string]string          `json:",omitempty"`
	Binary   map[string]bool            `json:",omitempty"`
	Styles   map[string]parameterOutput `json:",omitempty"`
	Types    map[string]string          `json:",omitempty"`
	Files    bool                       `json:",omitempty"`
	Bytes    string                     `json:",omitempty"`
	Raws     []string                   `json:",omitempty"`
}

// describe lets a worker process convert a document. The gateway reads the files to which the
// document refers.
func (d Dialer) describe(ctx context.Context, l *library, document []byte, s Settings, sent []sentParameter) ([]operation, about, error) {
	input, err := upstream.Pack(documentInput{s.Spec, s.BaseURL, s.Operations, sent}, document)
	if err != nil {
		return nil, about{}, err
	}
	packed, err := Document.Convert(ctx, d.Convert, input, l.refersTo())
	if err != nil {
		return nil, about{}, err
	}
	var out documentOutput
	schemas, err := upstream.Unpack(packed, &out)
	if err == nil && len(schemas) != 2*len(out.Operations) {
		err = errors.New("a fault of toolscript: the operations have other schemas")
	}
	if err != nil {
		return nil, about{}, err
	}
	operations := make([]operation, len(out.Operations))
	for i, o := range out.Operations {
		o.Tool.InputSchema, o.Tool.OutputSchema = schemas[2*i], schemas[2*i+1]
		operations[i] = o.operation()
	}
	return operations, about{out.Base, out.Title, out.Version, out.Description, out.Warnings}, nil
}

// refersTo returns a function that reads files to which the document refers: files in its folder or URLs of its origin.
func (l *library) refersTo() upstream.ConvertNeed {
	count := 0
	return func(at string) ([]byte, error) {
		if count++; count > maxFiles {
			return nil, fmt.Errorf("the document refers to more than %d files", maxFiles)
		}
		if isURL(l.root) || isURL(at) {
			root, err := url.Parse(l.root)
			if err != nil {
				return nil, err
			}
			target, err := url.Parse(at)
			if err != nil {
				return nil, err
			}
			if !isURL(l.root) || !isURL(at) || !upstream.SameOrigin(root, target) {
				return nil, errors.New("it is of another origin, which is not read")
			}
		}
		return l.fetch(at)
	}
}

// convertDocument implements Document.
func convertDocument(input []byte, need upstream.ConvertNeed) ([][]byte, error) {
	var in documentInput
	texts, err := upstream.Unpack(input, &in)
	if err != nil {
		return nil, err
	}
	if len(texts) != 1 {
		return nil, errors.New("a fault of toolscript: there is no document")
	}
	l := newLibrary(context.Background(), nil, files.Folder{}, in.Spec)
	l.get = func(at string) ([]byte, error) {
		if at == in.Spec {
			return texts[0], nil
		}
		return need(at)
	}
	document, err := l.load(in.Spec)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("read the OpenAPI document: %w", err)}
	}
	operations, about, err := read(l, document, Settings{Spec: in.Spec, BaseURL: in.BaseURL, Operations: in.Operations}, in.Sent)
	if err != nil {
		return nil, err
	}
	out := documentOutput{Base: about.base, Title: about.title, Version: about.version, Description: about.description, Warnings: about.warnings}
	schemas := make([][]byte, 0, 2*len(operations))
	for _, o := range operations {
		schemas = append(schemas, o.tool.InputSchema, o.tool.OutputSchema)
		out.Operations = append(out.Operations, o.output())
	}
	return upstream.Pack(out, schemas...)
}

// kindOf returns the kind of an error about a document. A document that was read but cannot be used
// is Invalid, so that the gateway does not read it again.
func kindOf(err error) toolscript.Kind {
	if kind := toolscript.KindOf(err); kind == toolscript.Unavailable {
		return kind
	}
	return toolscript.Invalid
}

func (o *operation) output() operationOutput {
	out := operationOutput{Tool: o.tool, Method: o.method, Path: o.path, Base: o.base, Tags: o.tags, Accept: o.accept, Choice: o.choice, Headers: o.headers, Silent: o.silent, Text: o.text}
	out.Tool.InputSchema, out.Tool.OutputSchema = nil, nil
	for _, p := range o.parameters {
		out.Parameters = append(out.Parameters, p.output())
	}
	if b := o.body; b != nil {
		out.Body = &bodyOutput{b.media, b.required, b.whole, b.open, b.fields, b.binary, map[string]parameterOutput{}, b.types, b.files, b.bytes, b.raws}
		for name, p := range b.styles {
			out.Body.Styles[name] = p.output()
		}
	}
	return out
}

func (o operationOutput) operation() operation {
	out := operation{tool: o.Tool, method: o.Method, path: o.Path, base: o.Base, tags: o.Tags, accept: o.Accept, choice: o.Choice, headers: o.Headers, silent: o.Silent, text: o.Text}
	for _, p := range o.Parameters {
		out.parameters = append(out.parameters, p.parameter())
	}
	if b := o.Body; b != nil {
		out.body = &body{b.Media, b.Required, b.Whole, b.Open, b.Fields, b.Binary, map[string]parameter{}, b.Types, b.Files, b.Bytes, b.Raws}
		for name, p := range b.Styles {
			out.body.styles[name] = p.parameter()
		}
	}
	return out
}

func (p parameter) output() parameterOutput {
	return parameterOutput{p.name, p.wire, p.in, p.style, p.explode, p.raw, p.json, p.otherwise}
}

func (p parameterOutput) parameter() parameter {
	return parameter{p.Name, p.Wire, p.In, p.Style, p.Explode, p.Raw, p.JSON, p.Otherwise}
}
