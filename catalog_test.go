package toolscript_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

func idsOf(c toolscript.Catalog) []string {
	var ids []string
	for id, t := range c.All() {
		if id != t.ID() {
			panic(id + " is " + t.ID())
		}
		ids = append(ids, id)
	}
	return ids
}

// TestCatalogOrder: tools are sorted by id, even if the name of one server begins with the
// name of another.
func TestCatalogOrder(t *testing.T) {
	var tools []toolscript.Tool
	for _, server := range []string{"a", "a_", "a__b", "ab", "", "a__", "B"} {
		for _, name := range []string{"z", "b", "", "_", "b__y", "B"} {
			tools = append(tools, toolscript.Tool{Server: server, Name: name})
		}
	}
	c := toolscript.NewCatalog(1, nil, tools)
	ids := idsOf(c)
	if !slices.IsSorted(ids) || len(ids) != c.Len() {
		t.Errorf("%d ids of %d tools, sorted %t", len(ids), c.Len(), slices.IsSorted(ids))
	}
	if unique := len(slices.Compact(slices.Clone(ids))); unique != len(ids) {
		t.Errorf("%d of %d ids are there twice", len(ids)-unique, len(ids))
	}
	for _, id := range ids {
		if found, ok := c.Lookup(id); !ok || found.ID() != id {
			t.Errorf("Lookup(%q) = %+v, %t", id, found, ok)
		}
	}
}

// TestCatalogClashes: a server cannot take over a tool of another one by listing a tool with
// the same id. The order of the servers has no influence.
func TestCatalogClashes(t *testing.T) {
	tools := []toolscript.Tool{
		{Server: "a", Name: "b__c", Title: "of a"}, {Server: "a__b", Name: "c", Title: "of a__b"},
		{Server: "a", Name: "x", Title: "first"}, {Server: "a", Name: "x", Title: "second"},
	}
	for range 2 {
		c := toolscript.NewCatalog(1, []string{"a", "a__b"}, tools)
		if diff := cmp.Diff([]string{"a__x"}, idsOf(c)); diff != "" {
			t.Errorf("ids: -want +got\n%s", diff)
		}
		if _, there := c.Lookup("a__b__c"); there {
			t.Error("a__b__c can be called")
		}
		if all := strings.Join(c.Clashes(), "\n"); !strings.Contains(all, "a__b__c") || len(c.Clashes()) != 1 {
			t.Errorf("clashes %q", all)
		}
		slices.Reverse(tools[:2])
	}
	if x, _ := toolscript.NewCatalog(1, nil, tools).Lookup("a__x"); x.Title != "first" {
		t.Errorf("of two tools of one server with one name, the %s is kept", x.Title)
	}
}
