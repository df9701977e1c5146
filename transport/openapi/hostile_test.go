package openapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// tools returns the tools of a document, or its error.
func tools(t *testing.T, document string) ([]toolscript.Tool, error) {
	t.Helper()
	conn, err := dial(t, openapi.Settings{Spec: answers.File(t, "openapi.json", document), BaseURL: local})
	if err != nil {
		return nil, err
	}
	return conn.ListTools(t.Context())
}

const answerOf = `{"get": {"operationId": "op", "responses": {"200": {"description": "d", "content": {"application/json": {"schema": %s}}}}}}`

// withSchemas returns a document with count schemas and one operation, whose result is the first of them.
func withSchemas(count int, schema func(i int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"openapi": "3.0.0", "paths": {"/a": `+answerOf+`}, "components": {"schemas": {`, `{"$ref": "#/components/schemas/s0"}`)
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"s%d": %s`, i, schema(i))
	}
	return b.String() + `}}}`
}

// TestHostileSchemas: documents that are made to be expensive take little time and memory.
func TestHostileSchemas(t *testing.T) {
	schemas, chain := 700, 100_000
	if testing.Short() {
		schemas, chain = 250, 20_000 // if each refers to all, the document still has 2.5 MB
	}
	deep := strings.Repeat(`{"type": "array", "items": `, 5000) + `{}` + strings.Repeat(`}`, 5000)
	eachToAll := func(more string) string {
		return withSchemas(schemas, func(int) string {
			var all strings.Builder
			for i := range schemas {
				fmt.Fprintf(&all, `,{"$ref": "#/components/schemas/s%d"}`, i)
			}
			return `{` + more + `"anyOf": [` + all.String()[1:] + `]}`
		})
	}
	for name, document := range map[string]string{
		"a chain of references": withSchemas(chain, func(i int) string { return fmt.Sprintf(`{"$ref": "#/components/schemas/s%d"}`, i+1) }),
		"a cycle":               withSchemas(2, func(i int) string { return fmt.Sprintf(`{"$ref": "#/components/schemas/s%d"}`, 1-i) }),
		"each refers to all":    eachToAll(""),
		"each hides a member":   eachToAll(`"required": ["a", "b"], "properties": {"a": {"readOnly": true}, "b": {"writeOnly": true}}, `),
		"each may be a file": strings.Replace(eachToAll(`"properties": {"f": {"format": "binary"}}, `),
			`"get": {`, `"post": {"requestBody": {"content": {"multipart/form-data": {"schema": {"$ref": "#/components/schemas/s0"}}}}, `, 1),
		"deep": fmt.Sprintf(`{"openapi": "3.0.0", "paths": {"/a": `+answerOf+`}}`, deep),
		"a body that doubles": strings.Replace(
			withSchemas(60, func(i int) string {
				if i == 59 {
					return `{"properties": {}}`
				}
				return fmt.Sprintf(`{"allOf": [{"$ref": "#/components/schemas/s%d"}, {"$ref": "#/components/schemas/s%[1]d"}]}`, i+1)
			}),
			`"get": {`, `"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/s0"}}}}, `, 1),
		"a long list":      fmt.Sprintf(`{"openapi": "3.0.0", "paths": {"/a": `+answerOf+`}}`, `{"enum": [`+strings.Repeat(`1,`, 1<<20)+`1]}`),
		"places in a list": `{"openapi": "3.0.0", "x": [` + strings.Repeat(`{},`, 200_000) + `{}], "paths": {"/a": ` + fmt.Sprintf(answerOf, `{"anyOf": [`+items(20_000)+`]}`) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			all, err := tools(t, document)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d tools, %v", len(all), err)
			}
			if !json.Valid(all[0].OutputSchema) {
				t.Errorf("the schema is no JSON: %.200s", all[0].OutputSchema)
			}
			if defs := len(all[0].OutputSchema); strings.HasPrefix(name, "each ") && defs > 1<<20 {
				t.Errorf("the schema has %d bytes, of which no type is made", defs)
			}
		})
	}
}

// items returns references to the items of a list.
func items(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, `,{"$ref": "#/x/%d"}`, 200_000-i)
	}
	return b.String()[1:]
}

// TestHostileDocuments checks which documents are refused.
func TestHostileDocuments(t *testing.T) {
	big := strings.Repeat(`"`+strings.Repeat("x", 1000)+`",`, 60)
	var many strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&many, `,"/%d": {"get": {"parameters": [{"$ref": "#/p"}]}}`, i)
	}
	for name, c := range map[string]struct{ document, want string }{
		"parameters in a cycle":       {`{"openapi": "3.0.0", "paths": {"/a": {"get": {"parameters": [{"$ref": "#/p"}]}}}, "p": {"$ref": "#/p"}}`, "a reference leads to itself"},
		"paths in a cycle":            {`{"openapi": "3.0.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}}`, "a reference leads to itself"},
		"a long pointer":              {`{"openapi": "3.0.0", "paths": {"/a": {"$ref": "#` + strings.Repeat("/a", 5000) + `"}}}`, "is not a path of at most"},
		"deep JSON":                   {strings.Repeat("[", 200_000), "exceeded max depth"},
		"deep YAML":                   {"a: " + strings.Repeat("[", 200_000), "exceeded max depth"},
		"aliases that multiply":       {"a: &a [x,x,x,x,x,x,x,x,x]\n" + aliases(9), "its aliases repeat more than"},
		"a parameter of each of many": {`{"openapi": "3.0.0", "paths": {` + many.String()[1:] + `}, "p": {"name": "p", "in": "query", "schema": {"enum": [` + big + `""]}}}`, "have more than 64 MB"},
		"parameters":                  {`{"openapi": "3.0.0", "paths": {"/a": {"get": {"parameters": [` + parameters(300_000) + `]}}}}`, "has more than 1000 parameters"},
		"parameters of a path":        {`{"openapi": "3.0.0", "paths": {"/a": {"parameters": [` + parameters(1_000) + `], "get": {"parameters": [` + parameters(2_000) + `]}}}}`, "has more than 1000 parameters"},
		"a long path":                 {`{"openapi": "3.0.0", "paths": {"/` + strings.Repeat("{a}", 10_000) + `": {"get": {}}}}`, "the limit is 8192"},
		"operations":                  {`{"openapi": "3.0.0", "paths": {` + operations(40_000) + `}}`, "more than 30000 of its operations"},
		"a body that is a cycle":      {`{"openapi": "3.0.0", "paths": {"/a": {"post": {"requestBody": {"$ref": "#/b"}}}}, "b": {"$ref": "#/c"}, "c": {"$ref": "#/b"}}`, "a reference leads to itself"},
		"nothing but a byte order":    {"\ufeff", "unexpected end"},
		"no text":                     {"\x00\x01\x02", "control characters are not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := tools(t, c.document); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %.300v, want %q", err, c.want)
			}
		})
	}
}

// parameters returns count query parameters.
func parameters(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, `,{"name": "p%d", "in": "query"}`, i)
	}
	return b.String()[1:]
}

// operations returns paths with count operations of the same name.
func operations(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, `,"/%d": {"get": {"operationId": "same"}}`, i)
	}
	return b.String()[1:]
}

// TestSharedSchemas: operations that share a large schema each get an equal share of the bytes that
// all schemas may have together.
func TestSharedSchemas(t *testing.T) {
	var many strings.Builder
	for i := range 600 {
		fmt.Fprintf(&many, `,"/%d": `+answerOf, i, `{"$ref": "#/components/schemas/s0"}`)
	}
	document := withSchemas(1000, func(i int) string {
		return fmt.Sprintf(`{"properties": {"next": {"$ref": "#/components/schemas/s%d"}}, "description": %q}`, i+1, strings.Repeat("x", 700))
	})
	document = strings.Replace(document, `"paths": {`, `"paths": {`+many.String()[1:]+`,`, 1)
	all, err := tools(t, document)
	if err != nil || len(all) != 601 {
		t.Fatalf("%d tools, %v", len(all), err)
	}
	size := 0
	for _, tool := range all {
		size += len(tool.OutputSchema)
		if text := string(tool.OutputSchema); !json.Valid(tool.OutputSchema) || !strings.Contains(text, `"s20":{"properties"`) || !strings.Contains(text, `":{}`) {
			t.Fatalf("%s: %.300s", tool.Name, text)
		}
	}
	if size > 64<<20 {
		t.Errorf("the schemas have %d bytes", size)
	}
}

// aliases returns lists in YAML, each with nine aliases of the list before.
func aliases(levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, "%[2]c: &%[2]c [%[1]s]\n", strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", 'a'+i), 9), ","), 'b'+i)
	}
	return b.String()
}

// TestHostileNames: each operation has a unique name, also if the names have a meaning in JavaScript or are already used.
func TestHostileNames(t *testing.T) {
	var paths strings.Builder
	for i, id := range []string{"__proto__", "constructor", "pages", "then", "toString", "a b", "a_b", "", "💥", strings.Repeat("x", 500), "pages", "a", "a_2", "a", "get_7"} {
		quoted, _ := json.Marshal(id)
		fmt.Fprintf(&paths, `,"/%d": {"get": {"operationId": %s}}`, i, quoted)
	}
	all, err := tools(t, `{"openapi": "3.1.0", "paths": {`+paths.String()[1:]+`}}`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range all {
		names = append(names, tool.Name)
	}
	want := "proto constructor pages then toString a_b a_b_2 get_7 get_8 " + strings.Repeat("x", 120) + " pages_2 a a_2 a_3 get_7_2"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// endless answers with a text that has no end.
func endless(w http.ResponseWriter, r *http.Request) {
	line := bytes.Repeat([]byte("x"), 1<<16)
	_, _ = io.WriteString(w, `{"openapi": "`)
	for r.Context().Err() == nil {
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

// TestHostileServers checks a document that is too long, and one that never arrives.
func TestHostileServers(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			endless(w, r)
			return
		}
		w.(http.Flusher).Flush() // only the header is sent
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(release)
	if _, err := dial(t, openapi.Settings{Spec: server.URL + "/endless"}); err == nil || !strings.Contains(err.Error(), "the answer has more than 64 MB") {
		t.Errorf("error %v", err)
	}
	settings, err := json.Marshal(openapi.Settings{Spec: server.URL + "/silent"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = openapi.Dialer{}.Dial(ctx, "api", upstream.Config{Type: upstream.OpenAPI, API: settings}, upstream.Events{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the end of the time to connect", err)
	}
}
