//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// openapi measures servers of OpenAPI documents: a call, alternating with the same request without
// toolscript, and the time from the bytes of a document to its module. The document is generated,
// unless OPENAPI names one, such as GitHub's.
func (b *bench) openapi(ctx context.Context) error {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `[{"id": 1, "title": "a title"}]`) // the caller reads the answer
	}))
	defer api.Close()
	port, end, err := b.converter(ctx)
	if err != nil {
		return err
	}
	defer end()
	file := os.Getenv("OPENAPI")
	if file == "" {
		file = filepath.Join(b.Home, "openapi.json")
		if err := os.WriteFile(file, largeDocument(1000), 0o600); err != nil {
			return err
		}
	}
	var modules []float64
	var conn *upstream.Conn
	var tools []toolscript.Tool
	for range 9 {
		if conn != nil {
			_ = conn.Close() // nothing was sent
		}
		begun := time.Now()
		var err error
		if conn, err = dialAPI(ctx, port, openapi.Settings{Spec: file, BaseURL: api.URL}); err != nil {
			return err
		}
		if tools, err = conn.ListTools(ctx); err != nil {
			return err
		}
		renderAll(tools)
		modules = append(modules, milliseconds(time.Since(begun)))
	}
	defer func() { _ = conn.Close() }()
	show(fmt.Sprintf("module of a document with %d operations", len(tools)), "ms", modules, "≤ 400")
	return b.apiCalls(ctx, port, api.URL)
}

// apiCalls measures calls that alternate with plain requests.
func (b *bench) apiCalls(ctx context.Context, port upstream.ConvertPort, address string) error {
	file := filepath.Join(b.Home, "one.json")
	if err := os.WriteFile(file, largeDocument(1), 0o600); err != nil {
		return err
	}
	conn, err := dialAPI(ctx, port, openapi.Settings{Spec: file, BaseURL: address})
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // only used here
	var calls, direct, more []float64
	for range 1000 {
		took, err := callBuiltin(ctx, conn, "list_0", `{"owner": "octo", "state": "open"}`)
		if err != nil {
			return err
		}
		begun := time.Now()
		answer, err := http.Get(address + "/repos/octo/list0?state=open")
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return err
		}
		_ = answer.Body.Close() // only read, so an error is harmless
		plain := milliseconds(time.Since(begun))
		calls, direct, more = append(calls, took), append(direct, plain), append(more, took-plain)
	}
	show("the request alone", "ms", direct, "")
	show("call of an operation", "ms", calls, "")
	show("a call takes longer by", "ms", more, "≤ 0.3")
	return nil
}

func dialAPI(ctx context.Context, port upstream.ConvertPort, s openapi.Settings) (*upstream.Conn, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return openapi.Dialer{Convert: port}.Dial(ctx, "api", upstream.Config{Type: upstream.OpenAPI, API: text, Timeout: time.Minute}, upstream.Events{})
}

// renderAll renders the module of all tools.
func renderAll(tools []toolscript.Tool) {
	ids := make([]string, len(tools))
	for i, t := range tools {
		ids[i] = t.ID()
	}
	c := toolscript.NewCatalog(1, []string{"api"}, tools)
	g := codegen.Generator{}
	g.Render(c, naming.New(c), ids, codegen.Options{})
}

// largeDocument returns a document with n operations and schemas as large as those of GitHub.
func largeDocument(n int) []byte {
	var paths, schemas bytes.Buffer
	for i := range n {
		comma := ","
		if i == 0 {
			comma = ""
		}
		fmt.Fprintf(&paths, `%s"/repos/{owner}/list%d": {"get": {"operationId": "list_%d", "summary": "List %d", "parameters": [
			{"name": "owner", "in": "path", "required": true, "schema": {"type": "string"}}, {"name": "state", "in": "query", "schema": {"enum": ["open", "closed"]}}],
			"responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/S%d"}}}}}}}}`, comma, i, i, i, i)
		fmt.Fprintf(&schemas, `%s"S%d": {"type": "object", "properties": {`, comma, i)
		for j := range 30 {
			fmt.Fprintf(&schemas, `"member_%d": {"type": "string", "nullable": true, "description": "The member %d of the schema, with a description of some length.", "example": "an example"},`, j, j)
		}
		fmt.Fprintf(&schemas, `"next": {"$ref": "#/components/schemas/S%d"}}}`, min(i/3*3+(i+1)%3, n-1))
	}
	return []byte(`{"openapi": "3.0.3", "info": {"title": "Large", "version": "1"}, "paths": {` + paths.String() + `}, "components": {"schemas": {` + schemas.String() + `}}}`)
}
