package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
)

// announced is a tool in the result of tools/list.
type announced struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`

	Meta json.RawMessage `json:"_meta"`

	Execution struct {
		TaskSupport string `json:"taskSupport"`
	} `json:"execution"`
}

// hints are the annotations of a tool. Before MCP 2025-06-18, they included the title of the tool.
type hints struct {
	toolscript.Annotations
	Title string `json:"title"`
}

// noArguments is the input schema of a tool that the server lists without one.
var noArguments = json.RawMessage(`{"type":"object"}`)

// tool parses one entry. It returns an error if a field is wrong on which calls or types depend.
// It ignores errors in descriptive fields.
func (l *listing) tool(raw json.RawMessage) (toolscript.Tool, error) {
	var a announced
	if err := json.Unmarshal(raw, &a); err != nil {
		return toolscript.Tool{}, err
	}
	if a.Name == "" {
		return toolscript.Tool{}, errors.New("it has no name")
	}
	in, err := schema("inputSchema", a.InputSchema)
	if err != nil {
		return toolscript.Tool{}, err
	}
	if in == nil {
		l.warn("tools/list: the tool %q has no inputSchema, which MCP requires; any arguments are accepted", a.Name)
		in = noArguments
	}
	out, err := schema("outputSchema", a.OutputSchema)
	if err != nil {
		return toolscript.Tool{}, err
	}
	if a.Execution.TaskSupport == "required" {
		l.tasks[a.Name] = true
	}
	var h hints
	if len(a.Annotations) > 0 && json.Unmarshal(a.Annotations, &h) != nil {
		l.warn("tools/list: the annotations of the tool %q cannot be read and are ignored", a.Name)
		h = hints{}
	}
	if a.Title == "" {
		a.Title = h.Title
	}
	return toolscript.Tool{
		Server: l.server, Name: a.Name, Title: a.Title, Description: a.Description,
		InputSchema: in, OutputSchema: out, Annotations: h.Annotations, UI: uiOf(a.Meta),
	}, nil
}

// schema returns nil for an absent schema. MCP requires an object, so true and false
// are errors.
func schema(field string, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if !isObject(raw) {
		return nil, fmt.Errorf("its %s is not an object", field)
	}
	return raw, nil
}
