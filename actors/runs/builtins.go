package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// builtins are the calls that the gateway answers itself, by id. They count as calls, and
// see only tools that the run may call.
var builtins = map[string]func(*calls, context.Context, *runCall) (any, error){
	naming.SearchTools:  (*calls).search,
	naming.DescribeTool: (*calls).describe,
	naming.StoreGet:     (*calls).storeGet,
	naming.StoreSet:     (*calls).storeSet,
	naming.StoreDelete:  (*calls).storeDelete,
	naming.StoreList:    (*calls).storeList,
	naming.StoreRun:     (*calls).storeRun,
}

// builtin returns the answer of a builtin as JSON.
func (s *calls) builtin(answer func(*calls, context.Context, *runCall) (any, error)) answerFunc {
	return func(ctx context.Context, c *runCall) (v json.RawMessage, failure *toolscript.ToolError) {
		begun := time.Now()
		found, err := answer(s, ctx, c)
		if err == nil {
			v, err = toolscript.PlainJSON(found)
		}
		if s.deps.Answered != nil && !s.onlyPlanned(c) {
			call := toolscript.Call{ID: c.ID, Args: c.Args, Run: s.id, CallID: c.CallID, Trace: s.parts.request.Trace, Queued: begun.Sub(c.asked)}
			s.deps.Answered(call, v, time.Since(begun), err)
		}
		if toolscript.KindOf(err) == toolscript.Busy { // the queue of the store or of the search is full
			err = notMade(err)
		}
		if err != nil {
			return nil, toolError(c.tool, c.ID, err)
		}
		return v, nil
	}
}

// onlyPlanned reports whether a builtin changes nothing because the run has a plan.
func (s *calls) onlyPlanned(c *runCall) bool {
	return s.plan != nil && (c.ID == naming.StoreSet || c.ID == naming.StoreDelete)
}

// searched is the answer to tools.$search: the script sees the results, with nearest
// as a property of the array.
type searched struct {
	Results []toolscript.SearchHit `json:"results"`
	Nearest []string               `json:"nearest"` // ids of the results, if they are uncertain
}

// search answers tools.$search(query, {limit, threshold, server, readOnly}).
func (s *calls) search(ctx context.Context, c *runCall) (any, error) {
	var given struct {
		Query     string   `json:"query"`
		Limit     int      `json:"limit"`
		Threshold *float64 `json:"threshold"`
		Server    string   `json:"server"`
		ReadOnly  bool     `json:"readOnly"`
	}
	if err := arguments(c.Args, &given); err != nil {
		return nil, err
	}
	q := toolscript.SearchQuery{
		Text: strings.TrimSpace(given.Query), Limit: given.Limit, Threshold: given.Threshold, ReadOnly: given.ReadOnly, Allow: s.allow,
	}
	if given.Server != "" {
		q.Servers = toolscript.Filter{given.Server}
	}
	answer, err := s.deps.Search(ctx, q)
	return searched{append([]toolscript.SearchHit{}, answer.Results...), append([]string{}, answer.Nearest...)}, err
}

// describe answers tools.$describe(tool).
func (s *calls) describe(ctx context.Context, c *runCall) (any, error) {
	var given struct {
		Tool string `json:"tool"`
	}
	if err := arguments(c.Args, &given); err != nil {
		return nil, err
	}
	d, err := s.deps.Describe(ctx, given.Tool)
	switch {
	case err != nil && s.allow == nil:
		return nil, err
	case err != nil: // the suggestions in err may name forbidden tools
		return nil, s.forbidden(given.Tool)
	case !s.allow.Match(toolscript.Tool{Server: d.ServerName, Name: d.ToolName}):
		return nil, s.forbidden(d.ToolID)
	}
	return d, nil
}

// wanted has the texts with which errors name the expected types of arguments.
var wanted = map[reflect.Kind]string{reflect.String: "a string", reflect.Int: "a whole number", reflect.Float64: "a number", reflect.Pointer: "a number", reflect.Bool: "true or false"}

// arguments decodes the arguments of a builtin. An unknown name is an error.
func arguments(args json.RawMessage, given any) error {
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	err := d.Decode(given)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		err = fmt.Errorf("%s is %s, and not %s", mistyped.Field, wanted[mistyped.Type.Kind()], strings.Replace("a "+mistyped.Value, "a array", "an array", 1))
	}
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("arguments: %s", strings.TrimPrefix(err.Error(), "json: "))}
	}
	return nil
}

// fetchArgs has the arguments of all methods of tools.$resources and tools.$prompts.
type fetchArgs struct {
	Server    string            `json:"server"`
	Cursor    string            `json:"cursor"`
	URI       string            `json:"uri"`
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments"`
}

// takes lists the arguments of each method.
var takes = map[string][]string{
	toolscript.ListResources: {"server", "cursor"},
	toolscript.ListTemplates: {"server", "cursor"},
	toolscript.ReadResource:  {"server", "uri"},
	toolscript.ListPrompts:   {"server", "cursor"},
	toolscript.GetPrompt:     {"server", "name", "arguments"},
}

// fetchTool returns the tool that stands for a request of resources or prompts in events and records. is reports
// whether the id names such a request.
func fetchTool(id string) (tool toolscript.Tool, is bool) {
	if !slices.Contains(toolscript.FetchIDs(), id) {
		return toolscript.Tool{}, false
	}
	member := toolscript.FetchRequest{ID: id}.Member()
	return toolscript.Tool{Server: member, Name: strings.TrimPrefix(id, member+toolscript.Separator)}, true
}

// fetch answers a request of resources or prompts.
func (s *calls) fetch(ctx context.Context, c *runCall) (json.RawMessage, *toolscript.ToolError) {
	o, err := parseFetch(c.Call)
	if err == nil {
		o.Allow, o.Run, o.CallID, o.Trace = s.allow, s.id, c.CallID, s.parts.request.Trace
		if o.Server != "" { // a request to all servers waits for no server
			o.Wait = toolscript.ConnectWait
		}
		var answer json.RawMessage
		if answer, err = s.deps.Fetch(ctx, o); err == nil {
			return answer, nil
		}
	}
	return nil, toolError(c.tool, c.ID, err)
}

func parseFetch(c runner.Call) (toolscript.FetchRequest, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(c.Args, &given); err != nil {
		return toolscript.FetchRequest{}, invalidArgs(c.ID, "", "the arguments must be an object")
	}
	for name := range given {
		if !slices.Contains(takes[c.ID], name) {
			return toolscript.FetchRequest{}, invalidArgs(c.ID, "/"+name, "the members are "+strings.Join(takes[c.ID], ", "))
		}
	}
	var args fetchArgs
	dec := json.NewDecoder(bytes.NewReader(c.Args))
	if err := dec.Decode(&args); err != nil {
		path := ""
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) {
			path = "/" + mistyped.Field
		}
		return toolscript.FetchRequest{}, invalidArgs(c.ID, path, "must be a string")
	}
	return toolscript.FetchRequest{
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

// answerFunc returns the value that the script sees, or the error that it catches.
type answerFunc func(context.Context, *runCall) (json.RawMessage, *toolscript.ToolError)
