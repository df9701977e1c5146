// Package openapi connects to servers whose tools are the operations of an HTTP API. An OpenAPI
// document of version 3.0 or 3.1 describes the API. See docs/design/tools.md.
package openapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/egress"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Settings configure a server.
type Settings struct {
	Spec       string            `json:"spec"`       // absolute path or URL of the document
	BaseURL    string            `json:"baseUrl"`    // address of the API; "": the first server of the document
	Operations []string          `json:"operations"` // patterns, see operation.selects; empty: all
	Auth       upstream.HTTPAuth `json:"auth"`
}

// Dialer opens servers of OpenAPI documents.
type Dialer upstream.Host

// Dial reads the document and returns a connection with a tool for each operation. The error is a
// *toolscript.Error: Unauthorized or Forbidden if access to the document is refused, Unavailable if it cannot
// be read, Invalid if it cannot be used.
func (d Dialer) Dial(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (*upstream.Conn, error) {
	fail := func(kind toolscript.Kind, err error) (*upstream.Conn, error) {
		return nil, &toolscript.Error{Kind: kind, Server: name, Err: err}
	}
	var s Settings
	if err := json.Unmarshal(cfg.API, &s); err != nil {
		return fail(toolscript.Invalid, err)
	}
	guard, err := s.guard()
	if err != nil {
		return fail(toolscript.Invalid, err)
	}
	l := newLibrary(ctx, &http.Client{Transport: s.reading(cfg, guard), CheckRedirect: sameOriginOnly}, cfg.Project, s.Spec)
	document, err := l.get(s.Spec)
	if err != nil {
		return fail(unread(s, err))
	}
	operations, about, err := d.describe(ctx, l, document, s, sent(s.Auth, cfg.Headers))
	if err != nil {
		if toolscript.ContextError(ctx) != nil {
			return fail(toolscript.KindOf(err), err)
		}
		return fail(kindOf(err), fmt.Errorf("%s: %w", s.Spec, err))
	}
	origin, err := upstream.NewOrigin(about.Base, s.Auth, cfg.Headers, s.BaseURL, s.Spec)
	if err != nil {
		return fail(toolscript.Invalid, err)
	}
	for _, warning := range about.Warnings {
		on.Logf(slog.LevelWarn, "%s: %s", s.Spec, warning)
	}
	cfg.URL = about.Base
	a := &api{
		auth: s.Auth, base: about.Base, limit: cfg.Timeout, answers: d.Answers,
		redact: upstream.NewRedactor(cfg),
		client: &http.Client{Transport: upstream.Host(d).Transport(name, cfg, s.Auth, origin, guard), CheckRedirect: upstream.CheckRedirect},
	}
	tools := &upstream.List{}
	for _, o := range operations {
		tools.Add(upstream.Tool{Tool: o.Tool, Run: func(ctx context.Context, _ string, args json.RawMessage) (any, error) {
			return a.call(ctx, &o, args)
		}})
	}
	return upstream.New(upstream.Options{
		Name: name, Info: upstream.Info{Title: about.Title, Version: about.Version, Instructions: about.Description},
		Tools: tools, Qualified: true, Events: on, Answers: d.Answers, Redact: a.redact, Closed: guard.CloseIdleConnections,
	}), nil
}

// unread returns the kind and the text of the error of a document that cannot be read.
func unread(s Settings, err error) (toolscript.Kind, error) {
	kind := toolscript.Unavailable
	if known := (*toolscript.Error)(nil); errors.As(err, &known) {
		kind, err = known.Kind, known.Err
	}
	if s.Auth.Type == "oauth2" && kind == toolscript.Unauthorized {
		kind = toolscript.Unavailable // a login does not help: the document is read without it
	}
	return kind, fmt.Errorf("read the OpenAPI document: %s: %w", s.Spec, err)
}

// guard returns the guard that protects internal addresses. It allows the addresses in "baseUrl" and
// "spec", because the user wrote them. Without "baseUrl", the document chooses the address of the API.
func (s Settings) guard() (*egress.Guard, error) {
	var written []*url.URL
	for _, text := range []string{s.BaseURL, s.Spec} {
		if !isURL(text) {
			continue
		}
		u, err := url.Parse(text)
		if err != nil {
			return nil, err
		}
		written = append(written, u)
	}
	base := egress.NewTransport()
	base.MaxIdleConnsPerHost = upstream.DefaultConcurrency
	return egress.NewGuard(egress.GuardOptions{
		Written: written, Base: base, Hint: `if it is right, write the address of the API as "baseUrl" of the server`,
	}), nil
}

// reading returns the transport for reading the document. It sends the credentials only if the document
// has the same origin as the API; without a "baseUrl", only the origin of the document gets credentials.
// A login with OAuth2 is for calls only: otherwise even a public document would need it.
func (s Settings) reading(cfg upstream.Config, guard http.RoundTripper) http.RoundTripper {
	origin, err := upstream.NewOrigin(s.Spec, s.Auth, cfg.Headers, cmp.Or(s.BaseURL, s.Spec))
	if err != nil || !isURL(s.Spec) {
		return guard
	}
	return upstream.AuthTransport{Origin: origin, Auth: s.Auth, Headers: cfg.Headers, ToOrigin: guard, ToOthers: guard}
}

// sentParameter is a parameter that the configuration sends. In is header, query or cookie.
type sentParameter struct{ In, Name string }

// sent returns the parameters that the configuration sends with each request.
func sent(auth upstream.HTTPAuth, headers map[string]string) (out []sentParameter) {
	header := func(name, value string) {
		if !strings.EqualFold(name, "Cookie") {
			out = append(out, sentParameter{"header", name})
			return
		}
		for pair := range strings.SplitSeq(value, ";") {
			name, _, _ := strings.Cut(strings.TrimSpace(pair), "=")
			out = append(out, sentParameter{"cookie", name})
		}
	}
	switch auth.Type {
	case "query":
		out = append(out, sentParameter{auth.Type, auth.Name})
	case "header":
		header(auth.Name, auth.Value)
	}
	for name, value := range headers {
		header(name, value)
	}
	return out
}

// about holds the description of an API in its document, and warnings about mistakes in the document.
type about struct {
	Base, Title, Version, Description string
	Warnings                          []string
}

// read returns the operations of a document that s selects. The parameters in sent do not become arguments.
func read(l *library, document []byte, s Settings, sent []sentParameter) ([]operation, about, error) {
	all := index(document)
	version := written(all["openapi"])
	if !strings.HasPrefix(version, "3.0") && !strings.HasPrefix(version, "3.1") {
		if written(all["swagger"]) != "" {
			version = "2.0 (Swagger)"
		}
		return nil, about{}, fmt.Errorf("it is not an OpenAPI document of version 3.0 or 3.1: its version is %.40q", version)
	}
	info := index(all["info"])
	a := about{Base: s.BaseURL, Title: written(info["title"]), Version: written(info["version"]), Description: written(info["description"])}
	r := &reader{schemas: newSchemas(l, strings.HasPrefix(version, "3.1")), at: s.Spec, names: map[string]int{}, selected: s.Operations, sent: sent, fixed: s.BaseURL != ""}
	if !r.fixed {
		var err error
		if a.Base, err = absolute(r.firstServer(all["servers"]), s.Spec); err != nil {
			return nil, a, err
		}
	}
	found, count, err := r.operations(all["paths"])
	if err == nil {
		err = toolscript.ContextError(l.ctx) // otherwise parts that were not read would be missing without an error
	}
	if err == nil && len(found) == 0 {
		err = r.broken
	}
	if err != nil {
		return nil, a, err
	}
	if len(found) == 0 {
		return nil, a, fmt.Errorf("none of its %d operations is selected; see \"operations\" of the server", count)
	}
	a.Warnings = r.warnings
	return found, a, nil
}

// absolute returns the address of a server of a document, without a query. A relative
// address, or the default "/", is resolved against the address of the document.
func absolute(server, spec string) (string, error) {
	server, _, _ = strings.Cut(server, "#")
	server, _, _ = strings.Cut(server, "?")
	u, err := url.Parse(cmp.Or(server, "/"))
	if err == nil && !u.IsAbs() && isURL(spec) {
		var from *url.URL
		if from, err = url.Parse(spec); err == nil {
			u = from.ResolveReference(u)
		}
	}
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("the document names no server with an address; add \"baseUrl\" to the server in the configuration")
	}
	return u.String(), nil
}

// selects reports whether an entry selects the operation. An entry is the name of its tool, tag:TAG, or METHOD
// PATH. In all of them, * matches any characters and ? matches one. An empty list selects all operations.
func (o *operation) selects(entries []string) bool {
	if len(entries) == 0 {
		return true
	}
	for _, entry := range entries {
		if tag, is := strings.CutPrefix(entry, "tag:"); is {
			for _, t := range o.Tags {
				if toolscript.MatchName(tag, t) {
					return true
				}
			}
			continue
		}
		if method, path, is := strings.Cut(entry, " "); is {
			if toolscript.MatchName(strings.ToUpper(method), o.Method) && toolscript.MatchName(strings.TrimSpace(path), o.Path) {
				return true
			}
			continue
		}
		if toolscript.MatchName(entry, o.Tool.Name) {
			return true
		}
	}
	return false
}

// sameOriginOnly is a CheckRedirect function that refuses to read a document from another origin.
func sameOriginOnly(r *http.Request, via []*http.Request) error {
	if len(via) > upstream.MaxRedirects || !egress.SameOrigin(r.URL, via[0].URL) {
		return errors.New("the document is redirected to another origin; write that address as \"spec\"")
	}
	return nil
}
