package openapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/egress"
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
	about
	Operations []operation // without the schemas of their tools
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
	for i := range out.Operations {
		tool := &out.Operations[i].Tool
		tool.InputSchema, tool.OutputSchema = schemas[2*i], schemas[2*i+1]
	}
	return out.Operations, out.about, nil
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
			if !isURL(l.root) || !isURL(at) || !egress.SameOrigin(root, target) {
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
	schemas := make([][]byte, 0, 2*len(operations))
	for i := range operations {
		tool := &operations[i].Tool
		schemas = append(schemas, tool.InputSchema, tool.OutputSchema)
		tool.InputSchema, tool.OutputSchema = nil, nil
	}
	return upstream.Pack(documentOutput{about, operations}, schemas...)
}

// kindOf returns the kind of an error about a document. A document that was read but cannot be used
// is Invalid, so that the gateway does not read it again.
func kindOf(err error) toolscript.Kind {
	if kind := toolscript.KindOf(err); kind == toolscript.Unavailable {
		return kind
	}
	return toolscript.Invalid
}
