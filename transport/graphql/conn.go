// Package graphql is a server whose tools are the queries and mutations of a GraphQL endpoint.
package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/httpauth"
	"github.com/toolscript/toolscript/transport/inflight"
	"github.com/toolscript/toolscript/transport/inprocess"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Settings are the settings of a server.
type Settings struct {
	URL        string        `json:"url"`
	Spec       string        `json:"spec"`       // the path of a schema in the definition language; "" asks the endpoint
	Operations []string      `json:"operations"` // patterns of names; empty means all
	Auth       httpauth.Auth `json:"auth"`
}

// Dialer opens servers of GraphQL endpoints.
type Dialer struct {
	// RoundTripper adds the login of a server with auth of the type oauth2; see
	// mcpclient.Dialer.
	RoundTripper func(server string, cfg mcpclient.Config, base http.RoundTripper) http.RoundTripper
	Answers      *inflight.Budget // limits the memory for the results of all calls; nil means unlimited
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

// Dial reads the schema and makes a tool of each query and mutation. The error is a
// *toolscript.Error: Unavailable if the schema cannot be read, Invalid if it cannot be used.
func (d Dialer) Dial(ctx context.Context, name string, cfg mcpclient.Config, on mcpclient.Events) (*inprocess.Conn, error) {
	fail := func(kind toolscript.Kind, err error) (*inprocess.Conn, error) {
		return nil, &toolscript.Error{Kind: kind, Server: name, Err: err}
	}
	if cfg.Problem != nil {
		return fail(toolscript.Invalid, cfg.Problem)
	}
	var s Settings
	if err := json.Unmarshal(cfg.API, &s); err != nil {
		return fail(toolscript.Invalid, err)
	}
	address, err := url.Parse(s.URL)
	if err != nil {
		return fail(toolscript.Invalid, err)
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxIdleConnsPerHost = mcpclient.DefaultConcurrency
	way := http.RoundTripper(base)
	if s.Auth.Type == "oauth2" && d.RoundTripper != nil {
		way = d.RoundTripper(name, cfg, base)
	}
	e := &endpoint{address: s.URL, conceal: mcpclient.NewConcealer(cfg), client: &http.Client{
		Transport:     httpauth.Transport{Origin: address, Auth: s.Auth, Headers: cfg.Headers, ToOrigin: way, ToOthers: base},
		CheckRedirect: httpauth.CheckRedirect,
	}}
	types, err := e.schema(ctx, s.Spec)
	if err != nil {
		var known *toolscript.Error
		if errors.As(err, &known) {
			known.Server = name
			return nil, known
		}
		return fail(toolscript.Invalid, err)
	}
	operations, err := types.operations(func(name string) bool {
		return len(s.Operations) == 0 || slices.ContainsFunc(s.Operations, func(entry string) bool { return toolscript.MatchName(entry, name) })
	})
	if err != nil {
		return fail(toolscript.Invalid, err)
	}
	if len(operations) == 0 {
		return fail(toolscript.Invalid, errors.New(`no query or mutation is selected; see "operations" of the server`))
	}
	tools := &inprocess.List{}
	for _, o := range operations {
		tools.Add(inprocess.Tool{Tool: o.tool, Run: func(ctx context.Context, _ string, args json.RawMessage) (any, error) {
			return e.call(ctx, &o, args)
		}})
	}
	return inprocess.New(inprocess.Options{
		Name: name, Info: mcpclient.Info{Title: "GraphQL at " + address.Host, Version: toolscript.Version},
		Tools: tools, Qualified: true, Events: on, Answers: d.Answers, Conceal: e.conceal, Closed: base.CloseIdleConnections,
	}), nil
}

// endpoint is a GraphQL endpoint.
type endpoint struct {
	address string
	client  *http.Client
	conceal mcpclient.Concealer
}

// schema reads the types of the endpoint, from a file or from itself.
func (e *endpoint) schema(ctx context.Context, file string) (*schema, error) {
	if file != "" {
		text, err := os.ReadFile(file) //nolint:gosec // G304: the file that the configuration names
		if err != nil {
			return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("read the schema: %w", err)}
		}
		return fromSDL(file, string(text))
	}
	data, err := e.ask(ctx, introspection, nil)
	if err != nil {
		var known *toolscript.Error
		if errors.As(err, &known) {
			return nil, known
		}
		return nil, fmt.Errorf("the endpoint does not tell its schema: %w; name a file with the schema as \"spec\"", err)
	}
	return fromIntrospection(data)
}

// call makes the query or mutation of a call.
func (e *endpoint) call(ctx context.Context, o *operation, args json.RawMessage) (any, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil {
		return nil, err
	}
	selection := o.selection
	if text, has := given[o.choice]; has && o.choice != "" {
		var chosen string
		if err := json.Unmarshal(text, &chosen); err != nil {
			return nil, err
		}
		delete(given, o.choice)
		var err error
		if selection, err = checked(chosen); err != nil {
			return nil, err
		}
	}
	data, err := e.ask(ctx, o.document(given, selection), given)
	if err != nil {
		return nil, err
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("the answer has no data: %w", err)
	}
	return answer[o.field.Name], nil
}

// document is the text of an operation with the variables that are given.
func (o *operation) document(given map[string]json.RawMessage, selection string) string {
	var variables, arguments []string
	for _, a := range o.field.Args {
		if _, has := given[a.Name]; has {
			variables = append(variables, "$"+a.Name+": "+o.types[a.Name])
			arguments = append(arguments, a.Name+": $"+a.Name)
		}
	}
	text := o.kind
	if len(variables) > 0 {
		text += "(" + strings.Join(variables, ", ") + ")"
	}
	text += " { " + o.field.Name
	if len(arguments) > 0 {
		text += "(" + strings.Join(arguments, ", ") + ")"
	}
	return text + " " + selection + " }"
}

// checked is a selection that a caller has written. It must be one selection: a text such as
// "{ id } } mutation { drop" would call another field than that of the tool.
func checked(text string) (string, error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		text = "{ " + text + " }"
	}
	parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Name: "select", Input: "query { x " + text + " }"}, maxTokens)
	if err != nil {
		return "", fmt.Errorf("select: %w; write the fields of the result, such as \"{ id author { name } }\"", err)
	}
	if len(parsed.Operations) != 1 || len(parsed.Fragments) != 0 || len(parsed.Operations[0].SelectionSet) != 1 {
		return "", errors.New("select: this is not one selection; write the fields of the result, such as \"{ id author { name } }\"")
	}
	field, is := parsed.Operations[0].SelectionSet[0].(*ast.Field)
	if !is || field.Name != "x" || len(field.SelectionSet) == 0 || len(field.Arguments) != 0 {
		return "", errors.New("select: it names no fields")
	}
	return text, nil
}

// maxTokens bounds a selection.
const maxTokens = 10_000

// ask sends an operation and returns its data. An answer with errors is an error.
func (e *endpoint) ask(ctx context.Context, query string, variables map[string]json.RawMessage) (json.RawMessage, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/graphql-response+json, application/json;q=0.9")
	answer, err := e.client.Do(request) //nolint:gosec // G704: the endpoint that the configuration names
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the answer broke off: %w", err)}
	case len(text) > maxAnswer:
		return nil, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the answer has more than %d MB", maxAnswer>>20)}
	}
	return e.result(answer.Status, text)
}

// unreachable is an error without an answer. The address is left out: it may have a secret.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *toolscript.Error
	if errors.As(err, &known) {
		return known
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the endpoint cannot be reached: %w", err)}
}

// result is the data of an answer.
func (e *endpoint) result(status string, text []byte) (json.RawMessage, error) {
	var answer struct {
		Data   json.RawMessage
		Errors []struct {
			Message string
			Path    []any
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Data == nil && len(answer.Errors) == 0 {
		return nil, fmt.Errorf("the endpoint answered %s without GraphQL: %.300s", status, strings.ToValidUTF8(e.conceal.Text(string(text)), "�"))
	}
	if len(answer.Errors) == 0 {
		return answer.Data, nil
	}
	var messages []string
	for _, wrong := range answer.Errors {
		message := wrong.Message
		if len(wrong.Path) > 0 {
			message += fmt.Sprintf(" (at %s)", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(wrong.Path)), "."), "[]"))
		}
		messages = append(messages, message)
	}
	return nil, errors.New(strings.Join(messages, "; "))
}
