//go:build integration && linux

package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
)

// TestResourcesAndPrompts reads resources and prompts of the real servers over HTTP and in a script
// on each engine. Two of the three servers have resources, one has prompts.
func TestResourcesAndPrompts(t *testing.T) {
	g := gateway(t, servers(t), "TOOLSCRIPT_DENO="+filepath.Join(peers, "../@deno/linux-x64-glibc/deno"))
	ready(t, g)
	var page struct {
		Resources []struct{ Server, URI string }
		Missing   []any
	}
	if status, err := g.Get(t.Context(), "/resources", &page); err != nil || status != http.StatusOK || len(page.Missing) > 0 {
		t.Fatalf("GET /resources: %d %v %+v", status, err, page)
	}
	have := map[string]int{}
	for _, r := range page.Resources {
		have[r.Server]++
	}
	if have["everything"] < 5 || have["filesystem"] != 0 {
		t.Errorf("resources %+v", have)
	}
	var read struct{ Contents []struct{ Text string } }
	if status, err := g.Get(t.Context(), "/resources/read?server=everything&uri="+url.QueryEscape("demo://resource/dynamic/text/7"), &read); err != nil || status != http.StatusOK || len(read.Contents) != 1 || read.Contents[0].Text == "" {
		t.Errorf("read: %d %v %+v", status, err, read)
	}
	var refusal struct{ Kind string }
	if status, _ := g.Get(t.Context(), "/prompts?server=filesystem", &refusal); status != http.StatusNotFound || refusal.Kind != "not_found" {
		t.Errorf("prompts of a server without: %d %+v", status, refusal)
	}
	for _, engine := range []string{"quickjs", "deno"} {
		events, err := g.Exec(t.Context(), map[string]any{"engine": engine, "code": `
import { tools } from "toolscript";
const [templates, prompts, prompt] = await Promise.all([
	tools.$resources.templates(), tools.$prompts.list(),
	tools.$prompts.get({ server: "everything", name: "args-prompt", arguments: { city: "Rome" } }),
]);
const text = prompt.messages[0].content.text;
return { templates: templates.resourceTemplates.length, prompts: prompts.prompts.length, text };`})
		if err != nil {
			t.Fatal(err)
		}
		end := events[len(events)-1]
		if got := fmt.Sprint(end["value"]); end["ok"] != true || got != "map[prompts:4 templates:2 text:What's weather in Rome?]" {
			text, _ := json.Marshal(end) // it was decoded from JSON
			t.Errorf("%s: %s", engine, text)
		}
	}
}
