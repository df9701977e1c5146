//go:build integration && linux

package integration

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// TestDescribedAnswers compares answers of a gateway with real servers with the API description in
// docs/openapi.yaml.
func TestDescribedAnswers(t *testing.T) {
	fits := describedAnswers(t)
	g := gateway(t, servers(t))
	ready(t, g)
	events, err := g.Exec(t.Context(), map[string]any{"code": `console.log("a"); await tools.everything.echo({ message: "b" }); missing()`, "check": "warn"})
	if err != nil || len(events) < 4 {
		t.Fatalf("exec: %v %v", events, err)
	}
	for _, event := range events {
		fits(t, "paths/~1exec/post/responses/200/content/application~1x-ndjson", event)
	}
	var refused any
	if status, err := g.Post(t.Context(), "/exec", map[string]any{"code": 1}, &refused); status != http.StatusBadRequest || err != nil {
		t.Errorf("exec of a number: %d %v", status, err)
	}
	fits(t, "components/responses/Error/content/application~1json", refused)
	var reloaded any
	if status, err := g.Post(t.Context(), "/reload", map[string]any{}, &reloaded); status != http.StatusOK || err != nil {
		t.Errorf("reload: %d %v", status, err)
	}
	fits(t, "paths/~1reload/post/responses/200/content/application~1json", reloaded)
	run := events[0]["runId"].(string)
	for path, route := range map[string]string{
		"/health": "/health", "/ready": "/ready", "/status": "/status", "/reload": "/reload", "/servers": "/servers",
		"/tools?filter=nobody": "/tools", "/tools/everything__echo": "/tools/{id}", "/search?q=echo&types=true": "/search",
		"/search/stats": "/search/stats", "/resources": "/resources", "/resources/templates": "/resources/templates",
		"/prompts": "/prompts", "/types?filter=everything": "/types", "/runs": "/runs", "/runs/" + run: "/runs/{id}",
	} {
		var answer any
		if status, err := g.Get(t.Context(), path, &answer); status != http.StatusOK || err != nil {
			t.Errorf("GET %s: %d %v", path, status, err)
			continue
		}
		fits(t, "paths/"+strings.ReplaceAll(route, "/", "~1")+"/get/responses/200/content/application~1json", answer)
	}
}

// describedAnswers returns a function that validates an answer against the schema at a place in the
// description: a JSON pointer without its first slash.
func describedAnswers(t *testing.T) func(t *testing.T, place string, answer any) {
	t.Helper()
	text, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("http://description/", document); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, place string, answer any) {
		t.Helper()
		schema, err := compiler.Compile("http://description/#/" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(place) + "/schema")
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(answer); err != nil {
			t.Errorf("%s: %v", place, err)
		}
	}
}
