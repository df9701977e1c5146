package server

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestSelected: includeTools and excludeTools also select prompts by name and resources by URI, if the
// request says so.
func TestSelected(t *testing.T) {
	c := upstream.Config{IncludeTools: []string{"greet*", "test:///a*"}, ExcludeTools: []string{"*/secret"}}
	for _, tt := range []struct {
		id, page, want string
	}{
		{toolscript.ListPrompts, `{"prompts":[{"name":"greet"},{"name":"other"}]}`, `{"prompts":[{"name":"greet"}]}`},
		{toolscript.ListResources, `{"resources":[{"uri":"test:///a","name":"x"},{"uri":"test:///b","name":"greet"},{"uri":"test:///a/secret","name":"x"}],"nextCursor":"n"}`, `{"nextCursor":"n","resources":[{"uri":"test:///a","name":"x"}]}`},
		{toolscript.ListTemplates, `{"resourceTemplates":[{"uriTemplate":"test:///a/{b}"}]}`, `{"resourceTemplates":[{"uriTemplate":"test:///a/{b}"}]}`},
	} {
		got, err := selected(c, toolscript.FetchRequest{ID: tt.id, Selected: true}, json.RawMessage(tt.page))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.id, got, err, tt.want)
		}
		if got, err := selected(c, toolscript.FetchRequest{ID: tt.id}, json.RawMessage(tt.page)); err != nil || string(got) != tt.page {
			t.Errorf("%s for a script: %s, %v", tt.id, got, err)
		}
	}
	for request, allowed := range map[*toolscript.FetchRequest]bool{
		{ID: toolscript.GetPrompt, Prompt: "greet", Selected: true}:     true,
		{ID: toolscript.GetPrompt, Prompt: "other", Selected: true}:     false,
		{ID: toolscript.GetPrompt, Prompt: "other"}:                     true,
		{ID: toolscript.ReadResource, URI: "test:///a", Selected: true}: true,
		{ID: toolscript.ReadResource, URI: "test:///b", Selected: true}: false,
		{ID: toolscript.Complete, Prompt: "other", Selected: true}:      false,
		{ID: toolscript.ListPrompts, Selected: true}:                    true,
	} {
		if err := selects(c, *request); (err == nil) != allowed {
			t.Errorf("%+v: %v, want allowed %t", *request, err, allowed)
		}
	}
}
