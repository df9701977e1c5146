package names_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/names"
)

// TestIndicesOfNoServer holds that a script's process that has broken its own
// questions gets odd answers and nothing else: some engines ask in the gateway.
func TestIndicesOfNoServer(t *testing.T) {
	table := names.For(&runner.Names{Servers: []runner.ServerNames{{Ident: "demo", Server: "demo"}}}, nil, nil)
	for _, server := range []int{names.None, names.Absent, -1 << 40, 1, 999, 1 << 40} {
		if got := table.Missing(server, "dem"); !strings.HasPrefix(got, "tools.dem does not exist") {
			t.Errorf("Missing(%d) = %q", server, got)
		}
		if got := table.ID(server, "x"); got != "" {
			t.Errorf("ID(%d) = %q, want none", server, got)
		}
		if server == names.None {
			continue
		}
		if got := table.Idents(server); len(got) != 0 {
			t.Errorf("Idents(%d) = %q, want none", server, got)
		}
	}
}

// TestAllowedNames: what the allow list leaves out is in no list and no advice, and
// leads to its id all the same.
func TestAllowedNames(t *testing.T) {
	all := &runner.Names{Servers: []runner.ServerNames{
		{Ident: "part", Server: "part", Tools: []runner.ToolNames{{Ident: "one", ID: "part__one"}, {Ident: "onTwo", ID: "part__on-two"}}},
		{Ident: "hidden", Server: "hidden", Tools: []runner.ToolNames{{Ident: "getIt", ID: "hidden__get-it"}}},
		{Ident: "whole", Server: "whole", Tools: []runner.ToolNames{{Ident: "any", ID: "whole__any"}}},
		{Ident: "away", Server: "away"},
		{Ident: "other", Server: "other"},
		{Ident: "$resources", Server: "$resources", Own: true, Tools: []runner.ToolNames{{Ident: "list", ID: "$resources__list"}}},
	}}
	first := names.For(all, nil, nil)
	table := names.For(all, toolscript.Filter{"part__one", "whole", "away__tool"}, first)
	const part, hidden, away, own = 0, 1, 3, 5
	for name, test := range map[string]struct{ got, want any }{
		"servers":                       {table.Idents(names.None), []string{"part", "whole", "away"}},
		"tools":                         {table.Idents(part), []string{"one"}},
		"tools of a hidden server":      {table.Idents(hidden), []string{}},
		"methods":                       {table.Idents(own), []string{"list"}},
		"a hidden tool is named":        {table.Tool(part, "onTwo"), 1},
		"a tool of a hidden server":     {table.Tool(hidden, "getIt"), names.Absent},
		"no tool of a hidden server":    {table.Tool(hidden, "nope"), names.Absent},
		"its id":                        {table.ID(hidden, "getIt"), "hidden__get-it"},
		"an id that it has not":         {table.ID(hidden, "nope"), "hidden__nope"},
		"hidden server shown":           {table.Shown(names.None, "hidden"), false},
		"server shown":                  {table.Shown(names.None, "part"), true},
		"no server shown":               {table.Shown(names.None, "nope"), false},
		"tool shown":                    {table.Shown(part, "one"), true},
		"hidden tool shown":             {table.Shown(part, "onTwo"), false},
		"tool of a hidden server shown": {table.Shown(hidden, "getIt"), false},
		"tool of a server away shown":   {table.Shown(away, "tool"), true},
		"another of it shown":           {table.Shown(away, "tools"), false},
		"method shown":                  {table.Shown(own, "list"), true},
		"advice names no hidden tool":   {table.Missing(part, "onTwoo"), "tools.part.onTwoo does not exist; tools.part has: one"},
		"advice names no hidden server": {table.Missing(names.None, "hiden"), "tools.hiden does not exist; tools has: part, whole, away"},
		"the table before it shows all": {len(first.Idents(names.None)), 5},
		"a table after it shows all":    {names.For(all, nil, table).Idents(part), []string{"one", "onTwo"}},
		"a table of nothing shows none": {names.For(all, toolscript.Filter{}, table).Idents(names.None), []string{}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
