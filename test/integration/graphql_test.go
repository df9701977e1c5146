//go:build integration && linux

package integration

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestGraphQL calls the queries and mutations of a real GraphQL server, whose schema comes from
// introspection.
func TestGraphQL(t *testing.T) {
	address := startGraphQL(t)
	conn := dialGraphQL(t, graphql.Settings{URL: address, Auth: upstream.HTTPAuth{Type: "header", Name: "X-Token", Value: "t"}})
	tools, err := conn.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]toolscript.Tool{}
	for _, tool := range tools {
		byName[tool.Name] = tool
	}
	books := byName["books"]
	for _, part := range []string{
		`"filter":{"anyOf":[{"$ref":"#/$defs/Filter"},{"type":"null"}]}`, `"genre":{"anyOf":[{"enum":["PROSE","VERSE"]},{"type":"null"}]}`,
		`"AuthorFilter":{"additionalProperties":false,"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"}`,
		`"first":{"description":"The default is 10.","type":"integer"}`, `"required":[]`, `the default is { id title genre pages author { id name } added }`,
	} {
		if !strings.Contains(string(books.InputSchema), part) {
			t.Errorf("the schema of books lacks %s:\n%s", part, books.InputSchema)
		}
	}
	if books.Description != "The books that fit." || !*books.Annotations.ReadOnly || byName["addBook"].Annotations.ReadOnly != nil {
		t.Errorf("%+v", books)
	}
	for _, c := range []struct{ name, tool, args, want string }{
		{"defaults", "books", `{}`, `[{"id":"b1","title":"One","genre":"PROSE","pages":100,"author":{"id":"a1","name":"Ada"},"added":null},{"id":"b2","title":"Two","genre":"VERSE","pages":null,"author":{"id":"a2","name":"Bo"},"added":null}]`},
		{"arguments", "books", `{"filter":{"author":{"name":"Bo"}},"first":1,"select":"{ id }"}`, `[{"id":"b2"}]`},
		{"selection without braces", "book", `{"id":"b1","select":"title author { books(first: 5) { id } }"}`, `{"title":"One","author":{"books":[{"id":"b1"}]}}`},
		{"null", "book", `{"id":"none"}`, `"structuredContent":null`},
		{"interface", "node", `{"id":"a1"}`, `{"id":"a1"}`},
		{"union", "find", `{"text":"o"}`, `[{"__typename":"Book"},{"__typename":"Author"}]`},
		{"fragments", "find", `{"text":"Tw","select":"... on Book { title }"}`, `[{"title":"Two"}]`},
		{"scalar", "version", `{}`, `"structuredContent":"1"`},
		{"credentials", "header", `{}`, `"structuredContent":"t"`},
		{"same name", "same_mutation", `{}`, `"structuredContent":2`},
		{"mutation", "addBook", `{"title":"Three \"x\" } }","genre":"VERSE","author":"a1","select":"id title"}`, `{"id":"b3","title":"Three \"x\" } }"}`},

		{"error", "fail", `{"message":"not today"}`, `not today (at fail)`},
		{"unknown field", "book", `{"id":"b1","select":"{ nope }"}`, `Cannot query field`},
		{"second field", "book", `{"id":"b1","select":"{ id } version"}`, `this is not one selection`},
		{"second operation", "book", `{"id":"b1","select":"{ id } } mutation { addBook(title: \"x\", author: \"a1\") { id }"}`, `select: `},
		{"fragment definition", "book", `{"id":"b1","select":"{ id } } fragment F on Book { id"}`, `this is not one selection`},
		{"no fields", "book", `{"id":"b1","select":"{ }"}`, `select: `},
		{"comment", "book", `{"id":"b1","select":"{ id } #"}`, `select: `},
		{"empty", "book", `{"id":"b1","select":""}`, `select: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := callGraphQL(t, conn, c.tool, c.args); !strings.Contains(strings.ReplaceAll(got, `\\`, `\`), c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	if got := callGraphQL(t, conn, "books", `{"select":"id"}`); strings.Count(got, `"id"`) != 3 {
		t.Errorf("%s: a refused selection has added a book", got)
	}
}

// TestGraphQLWithoutIntrospection: a server without introspection is used with a schema file.
func TestGraphQLWithoutIntrospection(t *testing.T) {
	address := startGraphQL(t, "closed")
	settings, err := json.Marshal(graphql.Settings{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	_, err = graphql.Dialer{}.Dial(t.Context(), "books", upstream.Config{Type: upstream.GraphQL, API: settings, Timeout: time.Minute}, upstream.Events{})
	if err == nil || !strings.Contains(err.Error(), "introspection") || !strings.Contains(err.Error(), `name a file with the schema as "spec"`) {
		t.Errorf("error %v", err)
	}
	definition, err := exec.CommandContext(t.Context(), "node", "graphql_server.mjs", "sdl").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "schema.graphql")
	if err := os.WriteFile(file, definition, 0o600); err != nil {
		t.Fatal(err)
	}
	conn := dialGraphQL(t, graphql.Settings{URL: address, Spec: file})
	if got := callGraphQL(t, conn, "books", `{"first":1}`); !strings.Contains(got, `[{"id":"b1","title":"One","genre":"PROSE","pages":100,"author":{"id":"a1","name":"Ada"},"added":null}]`) {
		t.Error(got)
	}
	if got := callGraphQL(t, conn, "addBook", `{"title":"Three","genre":"VERSE","author":"a1","select":"id"}`); !strings.Contains(got, `{"id":"b3"}`) {
		t.Error(got)
	}
}

func startGraphQL(t *testing.T, how ...string) (address string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "node", append([]string{"graphql_server.mjs"}, how...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func dialGraphQL(t *testing.T, s graphql.Settings) *upstream.Conn {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := graphql.Dialer{}.Dial(t.Context(), "books", upstream.Config{Type: upstream.GraphQL, API: text, Timeout: time.Minute}, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func callGraphQL(t *testing.T, conn *upstream.Conn, tool, args string) string {
	t.Helper()
	result, err := answers.Of(t, conn, tool, args)
	if err != nil {
		return err.Error()
	}
	return result
}
