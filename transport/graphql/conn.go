// Package graphql connects to servers whose tools are the queries and mutations of a GraphQL endpoint.
package graphql

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/egress"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Settings configure a server.
type Settings struct {
	URL        string            `json:"url"`
	Spec       string            `json:"spec"`       // path of a schema in the definition language; "": ask the endpoint
	Operations []string          `json:"operations"` // patterns of names of tools; empty: all
	Auth       upstream.HTTPAuth `json:"auth"`
}

// Dialer opens servers of GraphQL endpoints.
type Dialer upstream.Host

// maxAnswer is the maximum size of an answer and of a schema file, in bytes.
const maxAnswer = 64 << 20

// Dial reads the schema and returns a connection with a tool for each query and mutation. The error
// is a *toolscript.Error: Unauthorized or Forbidden if the endpoint refuses to send the schema,
// Unavailable if the schema cannot be read, Invalid if it cannot be used.
func (d Dialer) Dial(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (*upstream.Conn, error) {
	fail := func(kind toolscript.Kind, err error) (*upstream.Conn, error) {
		return nil, &toolscript.Error{Kind: kind, Server: name, Err: err}
	}
	var s Settings
	if err := json.Unmarshal(cfg.API, &s); err != nil {
		return fail(toolscript.Invalid, err)
	}
	address, err := url.Parse(s.URL)
	if err != nil {
		return fail(toolscript.Invalid, err)
	}
	base := egress.NewTransport()
	base.MaxIdleConnsPerHost = upstream.DefaultConcurrency
	origin, err := upstream.NewOrigin(s.URL, s.Auth, cfg.Headers, s.URL)
	if err != nil {
		return fail(toolscript.Invalid, err)
	}
	guard := egress.NewGuard(egress.GuardOptions{
		Written: []*url.URL{address}, Base: base, Hint: `if it is right, write the address of the endpoint as "url" of the server`,
	})
	e := &endpoint{
		address: s.URL, limit: cfg.Timeout, answers: d.Answers,
		redact: upstream.NewRedactor(cfg),
		client: &http.Client{Transport: upstream.Host(d).Transport(name, cfg, s.Auth, origin, guard), CheckRedirect: upstream.CheckRedirect},
	}
	operations, warnings, err := d.operations(ctx, e, cfg, s)
	if known := (*toolscript.Error)(nil); errors.As(err, &known) {
		known.Server = name
		return nil, known
	} else if err != nil {
		return fail(toolscript.Invalid, err)
	}
	for _, warning := range warnings {
		on.Logf(slog.LevelWarn, "%s: %s", cmp.Or(s.Spec, "the schema"), warning)
	}
	tools := &upstream.List{}
	for _, o := range operations {
		tools.Add(upstream.Tool{Tool: o.Tool, Run: func(ctx context.Context, _ string, args json.RawMessage) (any, error) {
			return e.call(ctx, &o, args)
		}})
	}
	return upstream.New(upstream.Options{
		Name: name, Info: upstream.Info{Title: "GraphQL at " + address.Host, Version: toolscript.Version},
		Tools: tools, Qualified: true, Events: on, Answers: d.Answers, Redact: e.redact, Closed: guard.CloseIdleConnections,
	}), nil
}

// operations reads the schema. It returns the selected operations and warnings about the schema. It returns an error if
// no operation is selected.
func (d Dialer) operations(ctx context.Context, e *endpoint, cfg upstream.Config, s Settings) ([]operation, []string, error) {
	text, err := e.schema(ctx, cfg.Project, s.Spec)
	if err != nil {
		return nil, nil, err
	}
	operations, warnings, err := d.describe(ctx, s, text)
	if err == nil && len(operations) == 0 {
		err = errors.New(`no query or mutation is selected; see "operations" of the server`)
	}
	return operations, warnings, err
}

// endpoint is a GraphQL endpoint.
type endpoint struct {
	address string
	client  *http.Client
	limit   time.Duration // time limit of a call with all of its attempts
	redact  upstream.Redactor
	answers *budget.Budget
}

// schema returns the schema as text. It is a file in the schema definition language, or the
// endpoint's answer to an introspection query.
func (e *endpoint) schema(ctx context.Context, project files.Folder, file string) ([]byte, error) {
	if file != "" {
		text, err := read(ctx, project, file)
		if err != nil {
			return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("read the schema: %w", err)}
		}
		return text, nil
	}
	ctx, release := budget.Ensure(ctx)
	defer release()
	data, err := e.ask(ctx, "query", withDeprecated.Replace(introspection), nil)
	var refusal *upstream.Refusal
	if errors.As(err, &refusal) { // older endpoints do not know the argument includeDeprecated
		data, err = e.ask(ctx, "query", introspection, nil)
	}
	if err == nil {
		return data, nil
	}
	if ended := toolscript.ContextError(ctx); ended != nil {
		return nil, ended
	}
	if known := (*toolscript.Error)(nil); errors.As(err, &known) {
		return nil, known
	}
	err = fmt.Errorf("the endpoint does not send its schema: %w", err)
	if !errors.As(err, &refusal) {
		return nil, err
	}
	unreadable := upstream.Unreadable(refusal.Status, err)
	if unreadable.Kind == toolscript.Unavailable && refusal.Status < http.StatusInternalServerError {
		unreadable.Permanent, unreadable.Err = true, fmt.Errorf("%w; name a file with the schema as \"spec\"", err)
	}
	return nil, unreadable
}

// read returns the content of a file that the configuration names.
func read(ctx context.Context, project files.Folder, path string) ([]byte, error) {
	file, err := project.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	text, err := budget.Read(ctx, nil, file, -1, maxAnswer)
	if errors.Is(err, budget.ErrTooLong) {
		return nil, fmt.Errorf("%s has more than %d MB", path, maxAnswer>>20)
	}
	return text, err
}

// call sends the query or mutation of a call, and returns the value of its field.
func (e *endpoint) call(ctx context.Context, o *operation, args json.RawMessage) (any, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil {
		return nil, err
	}
	selection := o.Selection
	if text, has := given[o.Choice]; has && o.Choice != "" {
		var chosen string
		if err := json.Unmarshal(text, &chosen); err != nil {
			return nil, err
		}
		delete(given, o.Choice)
		var err error
		if selection, err = checked(chosen); err != nil {
			return nil, err
		}
	}
	data, err := e.ask(ctx, o.Kind, o.document(given, selection), given)
	if err != nil {
		return nil, err
	}
	var result json.RawMessage
	if !rawjson.Object(data, func(name string, value json.RawMessage) {
		if name == o.Field {
			result = value
		}
	}) && string(data) != "null" {
		return nil, fmt.Errorf("the answer has no data: %w", errNoObject)
	}
	return result, nil
}

var errNoObject = errors.New("it is not an object")

// document returns the text of an operation. It declares only the variables in given.
func (o *operation) document(given map[string]json.RawMessage, selection string) string {
	var variables, arguments []string
	for _, a := range o.Args {
		if _, has := given[a.Name]; has {
			variables = append(variables, "$"+a.Name+": "+a.Type)
			arguments = append(arguments, a.Name+": $"+a.Name)
		}
	}
	text := o.Kind
	if len(variables) > 0 {
		text += "(" + strings.Join(variables, ", ") + ")"
	}
	text += " { " + o.Field
	if len(arguments) > 0 {
		text += "(" + strings.Join(arguments, ", ") + ")"
	}
	return text + " " + selection + " }"
}

// checked returns the selection of a caller, or an error if the text is not exactly one selection. A
// text such as "{ id } } mutation { drop" would call a field that is not the tool's.
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

// maxTokens is the maximum number of tokens in a selection.
const maxTokens = 10_000

// ask sends an operation and returns its data. An answer with errors becomes an error. If the endpoint asks
// to try again later, ask sends a query again. After the last attempt, the error is Busy with the time to
// wait.
func (e *endpoint) ask(ctx context.Context, kind, query string, variables map[string]json.RawMessage) (json.RawMessage, error) {
	end := time.Now().Add(e.limit)
	for try := 0; ; try++ {
		data, later, err := e.once(ctx, query, variables)
		if later == nil {
			return data, err
		}
		if try == upstream.Retries || kind != "query" || time.Now().Add(later.wait).After(end) {
			return nil, &toolscript.Error{Kind: toolscript.Busy, RetryAfter: later.wait, Sent: later.sent, Err: err}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(later.wait):
		}
	}
}

// later describes an answer that asks for another attempt.
type later struct {
	wait time.Duration
	sent toolscript.Sent // whether the operation was carried out
}

// once sends an operation once.
func (e *endpoint) once(ctx context.Context, query string, variables map[string]json.RawMessage) (json.RawMessage, *later, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/graphql-response+json, application/json;q=0.9")
	answer, err := upstream.Do(e.client, request, "the endpoint")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	text, err := upstream.ReadAnswer(ctx, e.answers.Lease(ctx), answer, maxAnswer)
	if err != nil {
		return nil, nil, err
	}
	return e.result(answer, rawjson.TrimMark(text))
}

// result returns the data of an answer, as a subslice of text.
func (e *endpoint) result(answer *http.Response, text []byte) (json.RawMessage, *later, error) {
	var data, failures json.RawMessage
	is := rawjson.Object(text, func(name string, value json.RawMessage) {
		switch name {
		case "data":
			data = value
		case "errors":
			failures = value
		}
	})
	if string(data) == "null" {
		data = nil
	}
	var found failed
	if is {
		found, is = failedOf(failures)
	}
	refusal := &upstream.Refusal{}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		refusal.Status = answer.StatusCode
	}
	switch {
	case !is || len(found.messages) == 0 && (refusal.Status != 0 || !has(text, "data")):
		shown := e.redact.Text(string(text[:min(len(text), mostShown)])) // hide secrets before the text is cut
		shown = strings.TrimSpace(strings.ToValidUTF8(shown, "�"))
		refusal.Err = fmt.Errorf("the endpoint answered %s without GraphQL: %.300s", answer.Status, shown)
		if upstream.IsHTML(answer, text) {
			refusal.Status = answer.StatusCode
			refusal.Err = fmt.Errorf("the endpoint answered %s with a page%s, without GraphQL; it may be that of a login; the request was sent: %.2000s", answer.Status, upstream.Title([]byte(shown)), shown)
		}
		if refusal.Status == http.StatusUnauthorized || refusal.Status == http.StatusForbidden {
			refusal.Err = fmt.Errorf("%w; check \"auth\" of the server in the configuration", refusal.Err)
		}
	case len(found.messages) > 0:
		refusal.Err, refusal.Structured = errors.New(strings.Join(found.messages, "; ")), found.details(data, failures)
	default:
		return data, nil, nil
	}
	if wait, again := upstream.RetryAfter(answer, time.Now()); again {
		return nil, &later{wait, upstream.Refused(answer.StatusCode)}, refusal
	}
	if found.throttled && nothing(data) {
		return nil, &later{max(found.wait, upstream.Pause(answer, time.Now())), toolscript.SentNo}, refusal
	}
	return nil, nil, refusal
}

// has reports whether text is an object with the member.
func has(text []byte, member string) (found bool) {
	rawjson.Object(text, func(name string, _ json.RawMessage) { found = found || name == member })
	return found
}
