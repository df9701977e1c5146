package naming_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// TestInvalidIndexes checks that invalid indexes never cause a panic. A script can corrupt
// its own process and then send invalid indexes to the gateway, which looks up the names for
// some engines.
func TestInvalidIndexes(t *testing.T) {
	table := naming.NewTable(&naming.Names{Servers: []naming.Server{{Ident: "demo", Name: "demo"}}}, nil, nil)
	for _, server := range []int{naming.None, naming.Absent, -1 << 40, 99, 1 << 40} {
		if got := table.Missing(server, "dem"); !strings.HasPrefix(got, "tools.dem ") {
			t.Errorf("Missing(%d) = %q", server, got)
		}
		if got := table.ID(server, "x"); got != "" {
			t.Errorf("ID(%d) = %q, want none", server, got)
		}
		if server == naming.None {
			continue
		}
		if got := table.Idents(server); len(got) != 0 {
			t.Errorf("Idents(%d) = %q, want none", server, got)
		}
	}
}

// TestAllowedNames checks that names outside the allow list are neither listed nor suggested,
// and that ID still finds them.
func TestAllowedNames(t *testing.T) {
	all := &naming.Names{Servers: []naming.Server{
		{Ident: "part", Name: "part", Tools: []naming.Tool{{Ident: "one", ID: "part__one"}, {Ident: "onTwo", ID: "part__on-two"}}},
		{Ident: "hidden", Name: "hidden", Tools: []naming.Tool{{Ident: "getIt", ID: "hidden__get-it"}}},
		{Ident: "whole", Name: "whole", Tools: []naming.Tool{{Ident: "any", ID: "whole__any"}}},
		{Ident: "away", Name: "away"},
		{Ident: "other", Name: "other"},
	}}
	first := naming.NewTable(all, nil, nil)
	table := naming.NewTable(all, toolscript.Filter{"part__one", "whole", "away__tool"}, first)
	const part, hidden, away, own = 0, 1, 3, 5
	for name, test := range map[string]struct{ got, want any }{
		"servers":                       {table.Idents(naming.None), []string{"part", "whole", "away"}},
		"tools":                         {table.Idents(part), []string{"one"}},
		"tools of a hidden server":      {table.Idents(hidden), []string{}},
		"methods":                       {table.Idents(own), []string{"list", "templates", "read"}},
		"a hidden tool is named":        {table.Tool(part, "onTwo"), 1},
		"a tool of a hidden server":     {table.Tool(hidden, "getIt"), naming.Absent},
		"no tool of a hidden server":    {table.Tool(hidden, "nope"), naming.Absent},
		"its id":                        {table.ID(hidden, "getIt"), "hidden__get-it"},
		"an id that it has not":         {table.ID(hidden, "nope"), "hidden__nope"},
		"hidden server shown":           {table.Shown(naming.None, "hidden"), false},
		"server shown":                  {table.Shown(naming.None, "part"), true},
		"no server shown":               {table.Shown(naming.None, "nope"), false},
		"tool shown":                    {table.Shown(part, "one"), true},
		"hidden tool shown":             {table.Shown(part, "onTwo"), false},
		"tool of a hidden server shown": {table.Shown(hidden, "getIt"), false},
		"tool of a server away shown":   {table.Shown(away, "tool"), true},
		"another of it shown":           {table.Shown(away, "tools"), false},
		"method shown":                  {table.Shown(own, "list"), true},
		"advice names no hidden tool":   {table.Missing(part, "onTwoo"), "tools.part.onTwoo does not exist; tools.part has: one"},
		"advice names no hidden server": {table.Missing(naming.None, "hiden"), "tools.hiden does not exist; tools has: part, whole, away"},
		"the table before it shows all": {len(first.Idents(naming.None)), 5},
		"a table after it shows all":    {naming.NewTable(all, nil, table).Idents(part), []string{"one", "onTwo"}},
		"a table of nothing shows none": {naming.NewTable(all, toolscript.Filter{}, table).Idents(naming.None), []string{}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
