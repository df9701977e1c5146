package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

// passed answers requests for the prompts and resources of the servers. They do not go through
// mcp-go, which wants to know all prompts and resources in advance, and whose types drop fields that
// it does not know. A prompt has the name server__prompt; a resource has its own URI.
type passed struct {
	entrance *entrance
	owners   owners
}

// passes reports whether a request is about the prompts, resources, skills or apps of servers, about tasks, or about
// notifications.
func (e *entrance) passes(m message, v visitor) bool {
	if m.isTask() || m.isListen() {
		return true
	}
	if !e.Pass {
		return false
	}
	switch mcp.MCPMethod(m.Method) { //nolint:exhaustive // mcp-go answers the others
	case mcp.MethodPromptsList, mcp.MethodPromptsGet, mcp.MethodResourcesList, mcp.MethodResourcesTemplatesList, mcp.MethodCompletionComplete,
		methodSkillsList, methodSkillsGet:
		return true
	case mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe, mcp.MethodSetLogLevel:
		return !mcp.IsModernProtocol(m.passParams().Meta.Version) // mcp-go refuses the others
	case mcp.MethodResourcesRead:
		return !strings.HasPrefix(m.passParams().URI, outputScheme)
	case mcp.MethodToolsList:
		return v.apps
	case mcp.MethodToolsCall:
		return v.apps && m.checkTool() != nil
	}
	return false
}

// outputScheme begins the URIs of the resources of this program.
const outputScheme = "toolscript://"

// passParams are the parameters of all requests that are passed on.
type passParams struct {
	Cursor    string            `json:"cursor"`
	Name      string            `json:"name"`
	URI       string            `json:"uri"`
	Level     string            `json:"level"`
	Arguments map[string]string `json:"arguments"`
	Ref       struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"ref"`
	Argument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"argument"`
	Context struct {
		Arguments map[string]string `json:"arguments"`
	} `json:"context"`
	Meta struct {
		Version      string          `json:"io.modelcontextprotocol/protocolVersion"`
		Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	} `json:"_meta"`
}

func (m message) passParams() (p passParams) {
	_ = json.Unmarshal(m.Params, &p) // an invalid member stays empty
	return p
}

// ready reports whether a request is complete in its version of MCP. mcp-go refuses the others.
func (p passParams) ready() bool {
	return p.Meta.Version == "" || slices.Contains(mcp.ValidProtocolVersions, p.Meta.Version) &&
		(!mcp.IsModernProtocol(p.Meta.Version) || len(p.Meta.Capabilities) > 0)
}

// agrees reports whether the headers of an HTTP request repeat its message as MCP 2026-07-28 wants.
func (m message) agrees(r *http.Request) bool {
	version := m.passParams().Meta.Version
	if !mcp.IsModernProtocol(version) {
		return !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	}
	if r.Header.Get(mcp.HeaderProtocolVersion) != version {
		return false
	}
	for name, value := range mcp.StandardHeaders(version, mcp.MCPMethod(m.Method), m.Params) {
		if r.Header.Get(name) != value {
			return false
		}
	}
	return true
}

// answer returns the response to a request.
func (p *passed) answer(ctx context.Context, m message, v visitor) []byte {
	if m.isTask() {
		return p.entrance.answerTask(ctx, m)
	}
	if m.isListen() {
		return p.entrance.listen(ctx, m)
	}
	params := m.passParams()
	result, err := p.result(ctx, m, params, v)
	if err != nil {
		return passedError(string(m.ID), params, err)
	}
	if mcp.IsModernProtocol(params.Meta.Version) {
		result = modernResult(result, mcp.MCPMethod(m.Method))
	}
	text := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...)
	return append(append(append(text, `,"result":`...), result...), '}')
}

func (p *passed) result(ctx context.Context, m message, params passParams, v visitor) (json.RawMessage, error) {
	switch mcp.MCPMethod(m.Method) { //nolint:exhaustive // the others are requests to the gateway
	case mcp.MethodResourcesSubscribe:
		return p.entrance.subscribe(ctx, params.URI)
	case mcp.MethodResourcesUnsubscribe:
		return p.entrance.unsubscribe(ctx, params.URI), nil
	case mcp.MethodSetLogLevel:
		return p.entrance.setLogLevel(ctx, params.Level)
	}
	g, release, err := p.entrance.Gateway(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	o := toolscript.FetchRequest{Selected: true, Cursor: params.Cursor}
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsList:
		return p.listTools(ctx, g)
	case mcp.MethodToolsCall:
		return p.callTool(ctx, g, m, v)
	case mcp.MethodPromptsList:
		o.ID = toolscript.ListPrompts
		return p.page(ctx, g, o)
	case mcp.MethodResourcesList:
		o.ID = toolscript.ListResources
		return p.page(ctx, g, o)
	case mcp.MethodResourcesTemplatesList:
		o.ID = toolscript.ListTemplates
		return p.page(ctx, g, o)
	case mcp.MethodPromptsGet:
		o.ID, o.Args = toolscript.GetPrompt, params.Arguments
		if o.Server, o.Prompt, err = p.prompt(params.Name); err != nil {
			return nil, err
		}
	case methodSkillsList:
		return listSkills(ctx, g, params.Cursor)
	case methodSkillsGet:
		return getSkill(ctx, g, params.URI)
	case mcp.MethodResourcesRead:
		if file, err := readSkill(ctx, g, params.URI); file != nil || err != nil {
			return file, err
		}
		if page, err := readPage(ctx, g, params.URI); page != nil || err != nil {
			return page, err
		}
		o.ID, o.URI = toolscript.ReadResource, params.URI
		if o.Server, err = p.owners.of(ctx, g, params.URI); err != nil {
			return nil, err
		}
	default:
		return p.complete(ctx, g, params)
	}
	return g.Fetch(ctx, o)
}

// prompt returns the server and the name of a prompt.
func (*passed) prompt(name string) (server, prompt string, err error) {
	server, prompt, ok := strings.Cut(name, toolscript.Separator)
	if !ok || server == "" || prompt == "" {
		return "", "", &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("there is no such prompt; the names of prompts have the form server__prompt")}
	}
	return server, prompt, nil
}

// page returns one page of a list.
func (p *passed) page(ctx context.Context, g Gateway, o toolscript.FetchRequest) (json.RawMessage, error) {
	page, err := pageOf(ctx, g, o)
	if err != nil {
		return nil, err
	}
	p.entrance.watchLists(ctx)
	var servers []string // server of each entry
	entries := make([]map[string]json.RawMessage, 0, len(page.Entries)+1)
	if page.Of == toolscript.ResourceTemplates && o.Cursor == "" {
		entries = append(entries, ownTemplate())
	}
	for _, entry := range page.Entries {
		var fields map[string]json.RawMessage
		var from struct{ Server, Name, URI string }
		if json.Unmarshal(entry, &fields) != nil || json.Unmarshal(entry, &from) != nil {
			continue // impossible: the gateway has encoded it
		}
		delete(fields, "server")
		if page.Of == toolscript.Prompts {
			fields["name"], _ = json.Marshal(from.Server + toolscript.Separator + from.Name) // a text always has a JSON form
		}
		if page.Of == toolscript.Resources {
			p.owners.learn(from.URI, from.Server)
		}
		if page.Of == toolscript.Resources && strings.HasPrefix(from.URI, toolscript.PageScheme) {
			fields["uri"], _ = json.Marshal(servedURI(toolscript.PageScheme, from.Server, from.URI)) // a text always has a JSON form
		}
		entries, servers = append(entries, fields), append(servers, from.Server)
	}
	if page.Of == toolscript.Resources {
		withSkillURIs(ctx, g, entries, servers)
	}
	result := map[string]any{string(page.Of): entries}
	if page.Next != "" {
		result["nextCursor"] = page.Next
	}
	return json.Marshal(result)
}

// ownTemplate returns the template of the outputs of runs.
func ownTemplate() (fields map[string]json.RawMessage) {
	text, _ := json.Marshal(outputTemplate) // it always has a JSON form
	_ = json.Unmarshal(text, &fields)       // it was an object
	return fields
}

// complete returns values of an argument. A server without completions has none.
func (p *passed) complete(ctx context.Context, g Gateway, params passParams) (_ json.RawMessage, err error) {
	o := toolscript.FetchRequest{
		ID: toolscript.Complete, Selected: true, Argument: params.Argument.Name, Value: params.Argument.Value, Args: params.Context.Arguments,
	}
	if params.Ref.Type == "ref/prompt" {
		o.Server, o.Prompt, err = p.prompt(params.Ref.Name)
	} else {
		o.URI = params.Ref.URI
		o.Server, err = p.owners.ofTemplate(ctx, g, o.URI)
	}
	if err != nil {
		return nil, err
	}
	result, err := g.Fetch(ctx, o)
	if toolscript.KindOf(err) == toolscript.NotFound && strings.Contains(err.Error(), "completions") {
		return json.RawMessage(`{"completion":{"values":[],"total":0,"hasMore":false}}`), nil
	}
	return result, err
}

// listTTL is how long a client may use a list, in milliseconds. It also gets a notification when
// the servers change.
const listTTL = 60_000

// modernResult adds the members that results have since MCP 2026-07-28.
func modernResult(result json.RawMessage, method mcp.MCPMethod) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil {
		return result
	}
	add := func(name, value string) {
		if fields[name] == nil {
			fields[name] = json.RawMessage(value)
		}
	}
	add("resultType", `"complete"`)
	switch method { //nolint:exhaustive // other results are not kept
	case mcp.MethodPromptsList, mcp.MethodResourcesList, mcp.MethodResourcesTemplatesList, methodSkillsList, mcp.MethodToolsList:
		ttl, _ := json.Marshal(listTTL) // a number always has a JSON form
		add("ttlMs", string(ttl))
		add("cacheScope", `"private"`)
	case mcp.MethodResourcesRead, methodSkillsGet:
		add("ttlMs", "0")
		add("cacheScope", `"private"`)
	}
	text, _ := json.Marshal(fields) // it was JSON
	return text
}

// resourceNotFound is the code for an unknown resource before MCP 2026-07-28.
const resourceNotFound = -32002

// passedError returns the error response. A JSON-RPC error of the server keeps its code.
func passedError(id string, params passParams, err error) []byte {
	var e *toolscript.Error
	code := mcp.INTERNAL_ERROR
	data := map[string]any{}
	if errors.As(err, &e) {
		switch {
		case e.RPCCode != 0:
			code = e.RPCCode
		case e.Kind == toolscript.NotFound && params.URI != "":
			code = resourceNotFound
		case e.Kind == toolscript.NotFound, e.Kind == toolscript.Invalid, e.Kind == toolscript.Forbidden:
			code = mcp.INVALID_PARAMS
		}
	}
	if code == resourceNotFound && mcp.IsModernProtocol(params.Meta.Version) {
		code = mcp.INVALID_PARAMS
	}
	if params.URI != "" {
		data["uri"] = params.URI
	}
	fields := map[string]any{"code": code, "message": err.Error()}
	if len(data) > 0 {
		fields["data"] = data
	}
	text, _ := json.Marshal(fields) // it always has a JSON form
	return []byte(`{"jsonrpc":"2.0","id":` + cmp.Or(id, "null") + `,"error":` + string(text) + `}`)
}

// maxPassed bounds the requests of a client on stdio that are passed on at the same time. mcp-go
// answers further requests, with an error.
const maxPassed = 64

// passLine answers a request on stdio in the background. It returns false for requests that mcp-go
// answers.
func (e *entrance) passLine(ctx context.Context, to *lines, m message) bool {
	v := m.visitor()
	if strings.EqualFold(m.Method, string(mcp.MethodInitialize)) {
		to.visitor = v
	} else if !mcp.IsModernProtocol(m.passParams().Meta.Version) {
		v = to.visitor
	}
	if v.Client != "" && !to.shown {
		to.shown = true
		go e.showSession(v)
	}
	if !e.passes(m, v) || !m.passParams().ready() {
		return false
	}
	counts := int64(1)
	if m.isListen() {
		counts = 0 // such requests do not end, and have a bound of their own
	}
	if to.passing.Add(counts) > maxPassed {
		to.passing.Add(-counts)
		to.answer(passedError(string(m.ID), passParams{}, errMessagesBusy))
		return true
	}
	m.ID, m.Params = slices.Clone(m.ID), slices.Clone(m.Params)
	ctx, done := to.cancellable(withNotifier(withSession(ctx, stdioSession), to), m)
	go func() {
		defer done()
		defer to.passing.Add(-counts)
		to.answer(e.passed.answer(ctx, m, v))
	}()
	return true
}
