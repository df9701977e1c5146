package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestOwnDocument is the short form of TestDocuments: all operations in the document of the gateway's
// own API get types and can be called at a server that validates requests against the document. It
// needs no npm packages.
func TestOwnDocument(t *testing.T) {
	file, err := filepath.Abs(filepath.FromSlash("../../docs/openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewServer(validating(t, file))
	defer api.Close()
	settings, err := json.Marshal(openapi.Settings{Spec: file, BaseURL: api.URL})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := openapi.Dialer{}.Dial(t.Context(), "api", upstream.Config{Type: upstream.OpenAPI, API: settings, Timeout: time.Minute}, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // only used here
	all, err := conn.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	render(t, all)
	for _, tool := range all {
		for _, objects := range []bool{false, true} {
			args, result, err := call(t, conn, tool, objects)
			if err != nil || !strings.Contains(string(result), `"structuredContent":"accepted"`) {
				t.Errorf("%s %s: %.500s %v", tool.Name, args, result, err)
			}
		}
	}
	if len(all) < 40 {
		t.Errorf("%d operations", len(all))
	}
}

// validating returns a server that accepts requests that fit a YAML document of version 3.1.
func validating(t *testing.T, file string) http.Handler {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("http://description/", document); err != nil {
		t.Fatal(err)
	}
	var all routes
	for path, operations := range document["paths"].(map[string]any) {
		for method, operation := range operations.(map[string]any) {
			o, is := operation.(map[string]any)
			if !is || method == "parameters" {
				continue
			}
			var body *jsonschema.Schema
			if content, _ := o["requestBody"].(map[string]any); content != nil {
				const media = "application/json"
				if kinds, _ := content["content"].(map[string]any); kinds[media] != nil {
					at := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path)
					if body, err = compiler.Compile("http://description/#/paths/" + at + "/" + method + "/requestBody/content/application~1json/schema"); err != nil {
						t.Fatal(err)
					}
				}
			}
			pattern := strings.ToUpper(method) + " " + path
			if strings.HasSuffix(path, "/") {
				pattern += "{$}" // not the paths below it
			}
			one := http.NewServeMux() // in a common one, some patterns would conflict
			one.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
				if why := wrong(r, body); why != "" {
					http.Error(w, why, http.StatusUnprocessableEntity)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `"accepted"`)
			})
			all = append(all, route{strings.Count(path, "{"), one})
		}
	}
	slices.SortStableFunc(all, func(a, b route) int { return cmp.Compare(a.parameters, b.parameters) })
	return all
}

// routes are the operations of a document, beginning with those with the fewest path parameters.
type routes []route

type route struct {
	parameters int // number of path parameters
	handler    *http.ServeMux
}

// ServeHTTP serves a request by the first operation with its method and path.
func (all routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, one := range all {
		if handler, pattern := one.handler.Handler(r); pattern != "" {
			handler.ServeHTTP(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

// wrong returns why a request does not fit, or "".
func wrong(r *http.Request, body *jsonschema.Schema) string {
	text, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return err.Error()
	case body == nil || len(text) == 0:
		return ""
	case r.Header.Get("Content-Type") != "application/json":
		return "the body is " + r.Header.Get("Content-Type")
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err == nil {
		err = body.Validate(value)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// render generates the module of all tools. Warnings about unknown types fail the test.
func render(t *testing.T, tools []toolscript.Tool) {
	t.Helper()
	ids := make([]string, len(tools))
	for i, tool := range tools {
		ids[i] = tool.ID()
	}
	c := toolscript.NewCatalog(1, []string{"api"}, tools)
	g := codegen.Generator{}
	module := g.Render(c, naming.New(c), ids, codegen.Options{})
	if len(module.Text) == 0 {
		t.Error("there are no types")
	}
	for _, warning := range module.Warnings {
		t.Errorf("types: %v", warning)
	}
}

// call calls a tool with sample arguments and returns the whole result.
func call(t *testing.T, conn *upstream.Conn, tool toolscript.Tool, objects bool) (args, result json.RawMessage, err error) {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
		return nil, nil, err
	}
	defs, _ := schema["$defs"].(map[string]any)
	if args, err = json.Marshal(Sample(schema, defs, objects)); err != nil {
		return nil, nil, err
	}
	if details, err := new(validate.Validator).Check(t.Context(), tool.InputSchema, args); err != nil || len(details) > 0 {
		return args, nil, fmt.Errorf("the sample does not fit: %.200v %w", details, err)
	}
	answer, err := answers.Of(t, conn, tool.Name, string(args))
	return args, json.RawMessage(answer), err
}
