package execution

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// offeredArgs are the arguments of all methods of tools.$resources and
// tools.$prompts together.
type offeredArgs struct {
	Server    string            `json:"server"`
	Cursor    string            `json:"cursor"`
	URI       string            `json:"uri"`
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments"`
}

// takes are the arguments of each method.
var takes = map[string][]string{
	toolscript.ListResources: {"server", "cursor"},
	toolscript.ListTemplates: {"server", "cursor"},
	toolscript.ReadResource:  {"server", "uri"},
	toolscript.ListPrompts:   {"server", "cursor"},
	toolscript.GetPrompt:     {"server", "name", "arguments"},
}

// offered is the tool that stands for a request of resources and prompts where
// calls are counted and told, if the id is one of those.
func offered(id string) (tool toolscript.Tool, is bool) {
	if !slices.Contains(toolscript.OfferedIDs(), id) {
		return toolscript.Tool{}, false
	}
	member := toolscript.Offered{ID: id}.Member()
	return toolscript.Tool{Server: member, Name: strings.TrimPrefix(id, member+toolscript.Separator)}, true
}

// fetch answers such a call.
func (h *host) fetch(ctx context.Context, c runner.Call, tool toolscript.Tool) (json.RawMessage, *toolscript.ToolError) {
	o, err := parseOffered(c)
	if err == nil {
		o.Allow, o.Run = h.allow, h.id
		var answer json.RawMessage
		if answer, err = h.deps.Fetch(ctx, o); err == nil {
			return answer, nil
		}
	}
	return nil, toolError(tool, c.ID, err)
}

func parseOffered(c runner.Call) (toolscript.Offered, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(c.Args, &given); err != nil {
		return toolscript.Offered{}, invalidArgs(c.ID, "", "the arguments are one object")
	}
	for name := range given {
		if !slices.Contains(takes[c.ID], name) {
			return toolscript.Offered{}, invalidArgs(c.ID, "/"+name, "it takes "+strings.Join(takes[c.ID], ", "))
		}
	}
	var args offeredArgs
	dec := json.NewDecoder(bytes.NewReader(c.Args))
	if err := dec.Decode(&args); err != nil {
		path := ""
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) {
			path = "/" + mistyped.Field
		}
		return toolscript.Offered{}, invalidArgs(c.ID, path, "must be text")
	}
	return toolscript.Offered{
		ID: c.ID, Server: args.Server, Cursor: args.Cursor, URI: args.URI, Prompt: args.Name, Args: args.Arguments,
	}, nil
}

func invalidArgs(id, path, message string) error {
	text := message
	if path != "" {
		text = path + ": " + message
	}
	return &toolscript.Error{
		Kind: toolscript.Invalid, Err: fmt.Errorf("the arguments do not fit %s: %s", id, text),
		Details: []toolscript.Detail{{Path: path, Message: message}},
	}
}
