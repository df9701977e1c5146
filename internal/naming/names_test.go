package naming_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// named returns the names of tools, each written server/tool.
func named(tools ...string) *naming.Names {
	var all []toolscript.Tool
	for _, t := range tools {
		server, name, _ := strings.Cut(t, "/")
		all = append(all, toolscript.Tool{Server: server, Name: name})
	}
	return naming.New(toolscript.NewCatalog(1, nil, all))
}

// ident returns the identifier of the tool of a server.
func ident(t *testing.T, n *naming.Names, server, tool string) string {
	t.Helper()
	i, names, ok := n.Tool(toolscript.Tool{Server: server, Name: tool})
	if !ok {
		t.Fatalf("no names for %s/%s", server, tool)
	}
	return n.Servers[i].Ident + "." + names.Ident
}

// byName returns the names of the server with a configured name.
func byName(t *testing.T, n *naming.Names, name string) naming.Server {
	t.Helper()
	i := slices.IndexFunc(n.Servers, func(s naming.Server) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no names for %s", name)
	}
	return n.Servers[i]
}

// TestResolve checks that Resolve finds a tool by each of its names.
func TestResolve(t *testing.T) {
	n := named("s/echo", "mcp/s__other")
	for text, want := range map[string]string{
		"s.echo": "s__echo", "tools.s.echo": "s__echo", "s__echo": "s__echo", "mcp__s__echo": "mcp__s__echo", "x": "x",
	} {
		if got := n.Resolve(text); got != want {
			t.Errorf("Resolve(%q) = %q with a server called mcp, want %q", text, got, want)
		}
	}
	n = named("s/echo")
	for text, want := range map[string]string{"mcp__s__echo": "s__echo", "mcp__s__other": "s__other", "mcp__x__echo": "mcp__x__echo"} {
		if got := n.Resolve(text); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestServerCalledSpawn checks that a server named spawn gets another identifier,
// made from its name, because tools.spawn is reserved.
func TestServerCalledSpawn(t *testing.T) {
	n := named("spawn/x", "Spawn/y", "other/z")
	s, again := byName(t, n, "spawn"), byName(t, named("spawn/x"), "spawn")
	if !regexp.MustCompile(`^spawn_[a-p]{6}$`).MatchString(s.Ident) || s.Ident != again.Ident {
		t.Errorf("spawn is tools.%s and tools.%s, want tools.spawn_ and the same hash", s.Ident, again.Ident)
	}
	if got, ok := n.Server("spawn"); ok {
		t.Errorf("tools.spawn is server %s, want the method that starts tasks", got.Name)
	}
	if len(n.Servers) != 3 || len(n.Warnings) == 0 {
		t.Errorf("%d servers, warnings %q", len(n.Servers), n.Warnings)
	}
}

// TestGEN3TypeNames checks the names of types, which join server and tool in PascalCase.
func TestGEN3TypeNames(t *testing.T) {
	n := named("my-api-server/get_user", "123server/123test", "API_KEY/then")
	var got []string
	for _, s := range n.Servers {
		for _, tool := range s.Tools {
			got = append(got, s.Type, tool.Params, tool.Result)
		}
	}
	want := []string{
		"_123ServerTools", "_123Server_123TestParams", "_123Server_123TestResult",
		"ApiKeyTools", "ApiKeyThenParams", "ApiKeyThenResult",
		"MyApiServerTools", "MyApiServerGetUserParams", "MyApiServerGetUserResult",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("type names: -want +got\n%s", diff)
	}
}

// TestGEN6Collisions checks that every tool stays reachable, that the exact name
// keeps its identifier, and that the warning has the ids.
func TestGEN6Collisions(t *testing.T) {
	n := named("s/create_issue", "s/create-issue", "s/createIssue", "my-api/x", "my_api/x")
	if got := ident(t, n, "s", "createIssue"); got != "s.createIssue" {
		t.Errorf("the exact name is %s, want s.createIssue", got)
	}
	suffixed := regexp.MustCompile(`^\w+_[a-p]{6}(\.x)?$`)
	seen := map[string]bool{}
	for _, id := range [][2]string{{"s", "create_issue"}, {"s", "create-issue"}, {"my-api", "x"}, {"my_api", "x"}} {
		got := ident(t, n, id[0], id[1])
		if name := strings.TrimPrefix(got, "s."); !suffixed.MatchString(name) || seen[got] {
			t.Errorf("%v is %s, want a suffix of its own", id, got)
		}
		seen[got] = true
	}
	warnings := strings.Join(n.Warnings, "\n")
	for _, id := range []string{"s__create_issue", "s__create-issue", "s__createIssue", "my-api is", "my_api is"} {
		if !strings.Contains(warnings, id) {
			t.Errorf("no warning names %s:\n%s", id, warnings)
		}
	}
}

// TestGEN6NoTakeover checks that no additional tool moves an identifier to another
// id.
func TestGEN6NoTakeover(t *testing.T) {
	base := []string{"s/create_issue", "s/create-issue", "s/get", "s/t", "s/then", "a-b/c", "a/b-c"}
	before := named(base...)
	added := []string{"s/create.issue", "s/Get", "s/---", "s/then_", "s/_123", "a/bC", "a_b/c", "s/create issue"}
	for _, server := range before.Servers {
		for _, tool := range server.Tools { // a server can add tools to take over a name
			added = append(added, server.Name+"/"+tool.Ident, server.Name+"/"+strings.ReplaceAll(tool.Ident, "_", "-"))
		}
	}
	for _, extra := range added {
		after := named(append(slices.Clone(base), extra)...)
		for _, server := range before.Servers {
			for _, tool := range server.Tools {
				id, ok := after.ID(server.Ident, tool.Ident)
				exact := extra == server.Name+"/"+tool.Ident // a tool keeps its exact name
				if ok && id != tool.ID && !exact {
					t.Errorf("after adding %s, tools.%s.%s is %s; it was %s", extra, server.Ident, tool.Ident, id, tool.ID)
				}
			}
		}
	}
}

// TestGEN6TypeNamesAcrossServers checks tools of different servers whose type names would be
// equal after server and tool are joined.
func TestGEN6TypeNamesAcrossServers(t *testing.T) {
	n := named("a-b/c", "a/b-c", "_1a/x", "_1A/x")
	seen := map[string]string{}
	for _, s := range n.Servers {
		if other, ok := seen[s.Type]; ok {
			t.Errorf("%s and %s share the type %s", other, s.Name, s.Type)
		}
		seen[s.Type] = s.Name
		for _, tool := range s.Tools {
			for _, name := range []string{tool.Params, tool.Result} {
				if other, ok := seen[name]; ok {
					t.Errorf("%s and %s share the type %s", other, tool.ID, name)
				}
				seen[name] = tool.ID
			}
		}
	}
}

// TestNamesFollowTheWholeCatalog checks that a server without tools has an
// identifier, that a filter changes no identifier, and that equal names have equal
// keys.
func TestNamesFollowTheWholeCatalog(t *testing.T) {
	tools := []toolscript.Tool{{Server: "a-b", Name: "x"}, {Server: "a__b", Name: "y"}}
	c := toolscript.NewCatalog(1, []string{"a-b", "a__b", "empty"}, tools)
	n := naming.New(c)
	if s := byName(t, n, "empty"); s.Ident != "empty" || len(s.Tools) != 0 {
		t.Errorf("empty = %+v", s)
	}
	filtered := naming.New(c.Filter(toolscript.ParseFilter("a__b")))
	want := byName(t, n, "a__b")
	if got := byName(t, filtered, "a__b"); got.Ident != want.Ident {
		t.Errorf("filtered: %s, want %s", got.Ident, want.Ident)
	}
	if s, ok := n.Server(want.Ident); !ok || s.Name != "a__b" {
		t.Errorf("Server(%s) = %+v, %v", want.Ident, s, ok)
	}
	if again := naming.New(c); again.Key != n.Key || filtered.Key == n.Key {
		t.Error("keys must be equal exactly for equal tables")
	}
}
