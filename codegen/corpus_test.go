package codegen_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/test/toolslist"
)

// corpus are the tools of real servers, and the bytes of their answers to
// tools/list, minified: the shared data where it is, else the excerpt in
// testdata. The output says which.
func corpus(tb testing.TB) (tools []toolscript.Tool, raw int) {
	tb.Helper()
	dir := toolslist.Dir("..")
	lists, err := toolslist.Read(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, list := range lists {
		tools, raw = append(tools, list.Tools...), raw+len(list.Raw)
	}
	tb.Logf("%d tools of %d servers from %s", len(tools), len(lists), dir)
	return tools, raw
}

// TestCorpusTogether: the modules of all real tools parse and type-check, and no
// part of a real schema is given up.
func TestCorpusTogether(t *testing.T) {
	tools, _ := corpus(t)
	c := catalog(tools...)
	n := codegen.NewNames(c)
	files := map[string]string{}
	for _, open := range []bool{false, true} {
		for name, form := range forms {
			r := codegen.Module(c, n, codegen.Options{Form: form, Open: open})
			parse(t, name, r.Text)
			files[fmt.Sprintf("%t/%s", open, name)] = r.Text
			for _, w := range r.Warnings {
				t.Errorf("%s: %s", name, w)
			}
		}
	}
	mustTypecheck(t, files)
}

// TestCorpusAlone: so does the module of each tool by itself.
func TestCorpusAlone(t *testing.T) {
	tools, _ := corpus(t)
	c := catalog(tools...)
	n := codegen.NewNames(c)
	files := map[string]string{}
	for i, tool := range c.Tools() {
		alone := c.Filter(toolscript.Filter{tool.ID()})
		for name, form := range forms {
			text := codegen.Module(alone, n, codegen.Options{Form: form}).Text
			parse(t, tool.ID()+" "+name, text)
			files[fmt.Sprintf("%d/%s", i, name)] = text
		}
	}
	mustTypecheck(t, files)
}

// catalogOf2000 is 20 servers of 100 tools, each of about 1.5 KB, as one of
// them announces them in the given version.
func catalogOf2000(version int) toolscript.Catalog {
	var tools []toolscript.Tool
	for server := range 20 {
		for tool := range 100 {
			description := fmt.Sprintf("Finds things of kind %d.", tool)
			if server == 7 {
				description += fmt.Sprintf(" Version %d.", version)
			}
			tools = append(tools, toolscript.Tool{
				Server: fmt.Sprintf("server-%d", server), Name: fmt.Sprintf("find_thing_%d", tool),
				Description: description, InputSchema: json.RawMessage(typicalSchema),
			})
		}
	}
	return catalog(tools...)
}

var typicalSchema = `{"type": "object", "required": ["owner", "filter"], "properties": {
	"owner": {"type": "string", "description": "The account owner of the repository. The name is not case sensitive.", "minLength": 1},
	"state": {"type": "string", "enum": ["open", "closed", "merged", "all"], "default": "open", "description": "Filter by the state of the thing"},
	"labels": {"type": "array", "items": {"type": "string", "description": "A label"}, "description": "Labels that a thing must have"},
	"page": {"type": "integer", "minimum": 1, "default": 1, "description": "Page number for pagination (min 1)"},
	"perPage": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Results per page for pagination (min 1, max 100)"},
	"filter": {"type": "object", "additionalProperties": false, "properties": {
		"since": {"type": "string", "format": "date-time", "description": "Only show results that were last updated after the given time"},
		"until": {"type": "string", "format": "date-time"},
		"assignee": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Who it is assigned to"},
		"size": {"$ref": "#/$defs/range"}, "age": {"$ref": "#/$defs/range"}}}},
	"$defs": {"range": {"type": "object", "properties": {"from": {"type": "number"}, "to": {"type": "number"}}, "required": ["from"], "description": "A range of numbers, with its lower bound included"}}}`

func BenchmarkModule2000(b *testing.B) {
	c := catalogOf2000(0)
	n := codegen.NewNames(c)
	b.ReportAllocs()
	for b.Loop() {
		codegen.Module(c, n, codegen.Options{Form: codegen.Full})
	}
}

func BenchmarkModule2000AfterOneServer(b *testing.B) {
	var g codegen.Generator
	g.Module(catalogOf2000(0), codegen.NewNames(catalogOf2000(0)), codegen.Options{Form: codegen.Full})
	versions := []toolscript.Catalog{catalogOf2000(1), catalogOf2000(2)}
	names := []*codegen.Names{codegen.NewNames(versions[0]), codegen.NewNames(versions[1])}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		g.Module(versions[i%2], names[i%2], codegen.Options{Form: codegen.Full})
	}
}

func BenchmarkNames2000(b *testing.B) {
	c := catalogOf2000(0)
	for b.Loop() {
		codegen.NewNames(c)
	}
}
