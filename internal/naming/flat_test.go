package naming_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

func flat(servers []string, tools ...toolscript.Tool) *naming.Names {
	return naming.New(toolscript.NewCatalog(1, servers, tools)).WithFlat(servers)
}

func tool(server, name string) toolscript.Tool { return toolscript.Tool{Server: server, Name: name} }

// TestFlatNames checks which flat names exist.
func TestFlatNames(t *testing.T) {
	for name, test := range map[string]struct {
		names *naming.Names
		want  []string
	}{
		"groups":                      {flat([]string{"w"}, tool("w", "read"), tool("w", "prompts.save"), tool("w", "agents.llm.chat")), []string{"agents.llm.chat", "prompts.save", "read"}},
		"two servers":                 {flat([]string{"v", "w"}, tool("v", "read"), tool("w", "read"), tool("w", "write")), []string{"write"}},
		"a server of that name":       {flat([]string{"read", "w"}, tool("w", "read"), tool("w", "write")), []string{"write"}},
		"a server named like a group": {flat([]string{"prompts", "w"}, tool("w", "prompts.save"), tool("w", "write")), []string{"write"}},
		"a tool named like a group":   {flat([]string{"w"}, tool("w", "a"), tool("w", "a.b"), tool("w", "a.b.c")), []string{"a"}},
		"reserved":                    {flat([]string{"w"}, tool("w", "spawn"), tool("w", "$search"), tool("w", "write")), []string{"write"}},
		"no identifiers":              {flat([]string{"w"}, tool("w", "read-file"), tool("w", "a..b"), tool("w", ".a"), tool("w", "a.then"), tool("w", "")), []string{}},
		"a server that is not there":  {naming.New(toolscript.Catalog{}).WithFlat([]string{"w"}), []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, slices.AppendSeq([]string{}, slices.Values(slices.Sorted(maps.Keys(test.names.FlatNames()))))); diff != "" {
				t.Errorf("flat names (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFlatTable checks how scripts find flat names.
func TestFlatTable(t *testing.T) {
	names := flat([]string{"v", "w"}, tool("w", "read"), tool("w", "prompts.save"), tool("v", "prompts.get"), tool("w", "agents.llm.chat"))
	all, some := naming.NewTable(names, nil, nil), naming.NewTable(names, toolscript.Filter{"v", "w__agents.llm.chat"}, nil)
	if diff := cmp.Diff([]string{"v", "w", "agents", "prompts", "read"}, all.Idents(naming.None)); diff != "" {
		t.Errorf("members of tools (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"v", "w", "agents", "prompts"}, some.Idents(naming.None)); diff != "" {
		t.Errorf("members of tools, filtered (-want +got):\n%s", diff)
	}
	prompts, agents := all.Server("prompts"), all.Server("agents")
	if diff := cmp.Diff([][]string{{"get", "save"}, {"get"}, {"llm"}}, [][]string{all.Idents(prompts), some.Idents(prompts), all.Idents(agents)}); diff != "" {
		t.Errorf("members of groups (-want +got):\n%s", diff)
	}
	for ident, want := range map[string]string{"read": "w__read", "prompts": "prompts", "prompts.save": "w__prompts.save", "w.read": "w__read", "w__read": "w__read"} {
		if got := all.ID(naming.None, ident); got != want {
			t.Errorf("tools.%s = %q, want %q", ident, got, want)
		}
	}
	if got := all.ID(prompts, "get"); got != "v__prompts.get" {
		t.Errorf("tools.prompts.get = %q", got)
	}
	if got := all.Tool(agents, "llm"); got != naming.Group {
		t.Errorf("tools.agents.llm = %d, want a group", got)
	}
	if !all.Shown(agents, "llm") || all.Shown(agents, "lm") || some.Shown(naming.None, "read") || !some.Shown(naming.None, "agents") {
		t.Error("wrong names are shown")
	}
	if got, want := all.Missing(prompts, "sav"), "tools.prompts.sav does not exist; did you mean tools.prompts.save?"; got != want {
		t.Errorf("Missing = %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{"v", "w"}, names.FlatServers("prompts")); diff != "" {
		t.Errorf("servers of prompts (-want +got):\n%s", diff)
	}
}
