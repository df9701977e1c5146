package codegen_test

import (
	"fmt"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/test/toolslist"
)

// corpus returns the tools of real servers, and the size of their minified tools/list
// results in bytes. It reads the shared data, or the excerpt in testdata if there is
// none, and logs the source.
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

// TestCorpusTogether checks that modules of all real tools parse and type-check, and
// that every part of their schemas has a type.
func TestCorpusTogether(t *testing.T) {
	tools, _ := corpus(t)
	c := catalog(tools...)
	n := naming.New(c)
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

// TestCorpusAlone checks the same for the module of each tool.
func TestCorpusAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	tools, _ := corpus(t)
	c := catalog(tools...)
	n := naming.New(c)
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

func catalogOf2000(version int) toolscript.Catalog { return catalog(toolslist.Thousands(version)...) }

func BenchmarkModule2000(b *testing.B) {
	c := catalogOf2000(0)
	n := naming.New(c)
	b.ReportAllocs()
	for b.Loop() {
		codegen.Module(c, n, codegen.Options{Form: codegen.Full})
	}
}

func BenchmarkModule2000AfterOneServer(b *testing.B) {
	var g codegen.Generator
	g.Module(catalogOf2000(0), naming.New(catalogOf2000(0)), codegen.Options{Form: codegen.Full})
	versions := []toolscript.Catalog{catalogOf2000(1), catalogOf2000(2)}
	names := []*naming.Names{naming.New(versions[0]), naming.New(versions[1])}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		g.Module(versions[i%2], names[i%2], codegen.Options{Form: codegen.Full})
	}
}

func BenchmarkNames2000(b *testing.B) {
	c := catalogOf2000(0)
	for b.Loop() {
		naming.New(c)
	}
}
