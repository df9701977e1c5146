package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxCursor is the maximum length of a server's cursor in bytes. Cursors of several
// servers are combined in one URL.
const maxCursor = 2 << 10

// offers are the capabilities other than tools that a server has announced.
type offers struct{ resources, prompts, completions, tasks, skills, logging, subscribe, resourcesChange, promptsChange bool }

func offersOf(announced mcp.ServerCapabilities) offers {
	o := offers{resources: announced.Resources != nil, prompts: announced.Prompts != nil, completions: announced.Completions != nil}
	o.logging = announced.Logging != nil
	o.subscribe = o.resources && announced.Resources.Subscribe
	o.resourcesChange, o.promptsChange = o.resources && announced.Resources.ListChanged, o.prompts && announced.Prompts.ListChanged
	_, o.skills = announced.Extensions[skillsExtension]
	if t := announced.Tasks; t != nil && t.Requests != nil && t.Requests.Tools != nil {
		o.tasks = t.Requests.Tools.Call != nil // only for tasks of MCP 2025-11-25; tasks of the extension need no announcement
	}
	return o
}

// Fetch requests resources or prompts from the server. For a list, the result is a
// toolscript.Page in JSON with the cursor of this server; for a resource or a prompt,
// it is the server's result, unchanged.
//
// The errors are those of CallTool, and in addition NotFound, wrapping ErrNoCapability,
// if the server lacks the capability, and Invalid if a field of o is missing.
func (c *Conn) Fetch(ctx context.Context, o toolscript.FetchRequest, progress func()) (json.RawMessage, error) {
	about := toolscript.Error{Server: c.name}
	if err := c.offers.have(o); err != nil {
		return nil, wrapError(about, toolscript.NotFound, err)
	}
	if toolscript.IsAnnouncement(o.ID) {
		return c.announcements(withTrace(ctx, o.Trace), about, o, progress)
	}
	method, params, err := requestFor(o)
	if err != nil {
		return nil, wrapError(about, toolscript.Invalid, err)
	}
	result, err := c.rounds(withTrace(ctx, o.Trace), about, method, params, progress)
	if of := o.Collection(); of != "" {
		if of == toolscript.ResourceTemplates && isMethodNotFound(err) {
			result, err = json.RawMessage(`{"resourceTemplates":[]}`), nil // the server announces resources with fixed addresses only
		}
		if err != nil {
			return nil, err
		}
		return c.page(about, of, result)
	}
	if err == nil && !holds(result, o) {
		err = wrapError(about, toolscript.ToolFailed, fmt.Errorf("the server answered %s with %s, which is not its result", method, c.redact.Quote(result)))
	}
	return result, err
}

// have returns an error wrapping ErrNoCapability if the server lacks the capability for a request.
func (a offers) have(o toolscript.FetchRequest) error {
	switch {
	case o.ID == toolscript.Complete && !a.completions:
		return fmt.Errorf("%w completions", upstream.ErrNoCapability)
	case o.ID == toolscript.SetLogLevel:
		return nil
	case (o.ID == toolscript.Subscribe || o.ID == toolscript.Unsubscribe) && !a.subscribe:
		return fmt.Errorf("%w subscriptions of resources", upstream.ErrNoCapability)
	case o.ID == toolscript.GetSkill && !a.skills:
		return fmt.Errorf("%w skills", upstream.ErrNoCapability)
	case o.Member() == toolscript.PromptsMember && !a.prompts:
		return fmt.Errorf("%w prompts", upstream.ErrNoCapability)
	case o.Member() == toolscript.ResourcesMember && !a.resources:
		return fmt.Errorf("%w resources", upstream.ErrNoCapability)
	}
	return nil
}

// requestFor returns the MCP method and the parameters of a request.
func requestFor(o toolscript.FetchRequest) (method string, params map[string]any, err error) {
	params = map[string]any{}
	if o.Cursor != "" {
		params["cursor"] = o.Cursor
	}
	switch o.ID {
	case toolscript.ListResources:
		return string(mcp.MethodResourcesList), params, nil
	case toolscript.ListTemplates:
		return string(mcp.MethodResourcesTemplatesList), params, nil
	case toolscript.ListPrompts:
		return string(mcp.MethodPromptsList), params, nil
	case toolscript.ReadResource, toolscript.GetSkill:
		if o.URI == "" {
			return "", nil, errors.New("the URI of the resource is missing")
		}
		return o.Method(), map[string]any{"uri": o.URI}, nil
	case toolscript.GetPrompt:
		if o.Prompt == "" {
			return "", nil, errors.New("the name of the prompt is missing")
		}
		params["name"] = o.Prompt
		if len(o.Args) > 0 {
			params["arguments"] = o.Args
		}
		return string(mcp.MethodPromptsGet), params, nil
	case toolscript.Complete:
		return completion(o)
	}
	return "", nil, fmt.Errorf("the id %q is not a list, a resource or a prompt", o.ID)
}

// completion returns the request for values of an argument.
func completion(o toolscript.FetchRequest) (method string, params map[string]any, err error) {
	ref := map[string]any{"type": "ref/prompt", "name": o.Prompt}
	if o.Prompt == "" {
		ref = map[string]any{"type": "ref/resource", "uri": o.URI}
	}
	if o.Argument == "" || o.Prompt == "" && o.URI == "" {
		return "", nil, errors.New("the argument, or the prompt or template that has it, is missing")
	}
	params = map[string]any{"ref": ref, "argument": map[string]any{"name": o.Argument, "value": o.Value}}
	if len(o.Args) > 0 {
		params["context"] = map[string]any{"arguments": o.Args}
	}
	return string(mcp.MethodCompletionComplete), params, nil
}

// holds reports whether a result has the members that the request requires.
func holds(result json.RawMessage, o toolscript.FetchRequest) bool {
	var r struct {
		Contents []json.RawMessage `json:"contents"`
		Messages []json.RawMessage `json:"messages"`
		Skill    json.RawMessage   `json:"skill"`

		Completion *struct {
			Values []string `json:"values"`
		} `json:"completion"`
	}
	if json.Unmarshal(result, &r) != nil {
		return false
	}
	switch o.ID {
	case toolscript.GetPrompt:
		return r.Messages != nil
	case toolscript.GetSkill:
		return len(r.Skill) > 0
	case toolscript.Complete:
		return r.Completion != nil && r.Completion.Values != nil
	}
	return r.Contents != nil
}

// keys maps collections to the member that each entry must have.
var keys = map[toolscript.Collection]string{
	toolscript.Resources: "uri", toolscript.ResourceTemplates: "uriTemplate", toolscript.Prompts: "name",
}

// page reads one page of a collection. Invalid entries are omitted.
func (c *Conn) page(about toolscript.Error, of toolscript.Collection, result json.RawMessage) (json.RawMessage, error) {
	page := toolscript.Page{Of: of}
	if err := json.Unmarshal(result, &page); err != nil {
		return nil, wrapError(about, toolscript.ToolFailed, fmt.Errorf("its list of %s cannot be read: %s", of, c.redact.Printable(err.Error())))
	}
	page.Missing = nil // only the gateway may set it
	all := page.Entries
	page.Entries = nil
	for _, raw := range all {
		entry, err := c.entry(keys[of], raw)
		if err != nil {
			c.on.Logf(slog.LevelWarn, "%s: left out %s: %v", of, c.redact.Quote(raw), err)
			continue
		}
		page.Entries = append(page.Entries, entry)
	}
	if len(page.Next) > maxCursor {
		page.Missing = []toolscript.Missing{{Server: c.name, Kind: toolscript.TooLarge, Error: fmt.Sprintf(
			"the entries after these are left out: the server's cursor has %d bytes, and the limit is %d", len(page.Next), maxCursor)}}
		page.Next = ""
	}
	return toolscript.PlainJSON(page)
}

// entry sets the member "server" of an entry, and overwrites the value if the server has set one.
func (c *Conn) entry(key string, raw json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	var text string
	if json.Unmarshal(fields[key], &text) != nil || text == "" {
		return nil, fmt.Errorf("it has no %s", key)
	}
	name, err := toolscript.PlainJSON(c.name)
	if err != nil {
		return nil, err
	}
	fields["server"] = name
	return toolscript.PlainJSON(fields)
}
