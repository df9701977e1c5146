package toolscript_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

// TestAppTools: a tool that only apps may call is not among the tools of models. Filters select such tools,
// and a page can be read if a filter selects its tool.
func TestAppTools(t *testing.T) {
	page := &toolscript.UI{Page: "ui://p"}
	c := toolscript.NewCatalog(1, []string{"a", "b"}, []toolscript.Tool{
		{Server: "a", Name: "show", UI: page},
		{Server: "a", Name: "count", UI: &toolscript.UI{NoModels: true}},
		{Server: "a", Name: "plain"},
		{Server: "a", Name: "nobody", UI: &toolscript.UI{NoModels: true, NoApps: true}},
		{Server: "b", Name: "count", UI: &toolscript.UI{NoModels: true}},
	})
	of := func(tools []toolscript.Tool) (ids []string) {
		for _, tool := range tools {
			ids = append(ids, tool.ID())
		}
		return ids
	}
	if diff := cmp.Diff([]string{"a__plain", "a__show"}, of(c.Tools())); diff != "" {
		t.Errorf("tools of models (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a__count", "a__nobody", "b__count"}, of(c.AppTools())); diff != "" {
		t.Errorf("tools that models must not see (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a__plain", "a__show", "a__count"}, of(c.OfApps())); diff != "" {
		t.Errorf("tools of servers with a page (-want +got):\n%s", diff)
	}
	if _, known := c.Lookup("a__count"); known {
		t.Error("Lookup finds a tool that models must not see")
	}
	if tool, known := c.Find("a__count"); !known || tool.ForModels() || !tool.ForApps() {
		t.Errorf("Find = %+v, %t", tool, known)
	}
	if got := of(c.Filter(toolscript.Filter{"a__count"}).Listed()); !cmp.Equal(got, []string{"a__count"}) {
		t.Errorf("the filter selects %q", got)
	}
	for _, tt := range []struct {
		server, uri string
		allow       toolscript.Filter
		want        bool
	}{
		{"a", "ui://p", nil, true}, {"a", "ui://p", toolscript.Filter{"a__show"}, true}, {"a", "ui://p", toolscript.Filter{"a__plain"}, false},
		{"b", "ui://p", nil, false}, {"a", "", nil, false},
	} {
		if got := c.HasPage(tt.server, tt.uri, tt.allow); got != tt.want {
			t.Errorf("HasPage(%q, %q, %q) = %t", tt.server, tt.uri, tt.allow, got)
		}
	}
}
