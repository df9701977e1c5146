// Command tokens counts the tokens of the tools of real servers: raw, as in tools/list, and in the
// forms of the generated module. Run it with `task tokens`.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tiktoken-go/tokenizer"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/test/toolslist"
)

func main() {
	data := flag.String("data", "", "folder of tools/list answers; default: ../shared/data/schemas where it is, else the excerpt in codegen/testdata/schemas")
	describe := flag.Int("describe", 0, "characters of each description in the compact form, as types.describe in the configuration; 0 is the default")
	flag.Parse()
	if err := run(*data, *describe); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

func run(dir string, describe int) error {
	if dir == "" {
		dir = toolslist.Dir(".")
	}
	lists, err := toolslist.Read(dir)
	if err != nil {
		return err
	}
	// Tokenizers of models differ, but the ratios hardly depend on them.
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	c := counter{codec: codec, compact: codegen.Options{Form: codegen.Compact, Describe: describe}}
	fmt.Printf("tokens (%s) of the tools in %s, and the share of raw\n\n", codec.GetName(), filepath.ToSlash(dir))
	fmt.Printf("%-22s %6s %9s %16s %16s %22s\n", "server", "tools", "raw", "full module", "compact module", "compact, each alone")
	var sum counts
	for _, list := range lists {
		n, err := c.count(list)
		if err != nil {
			return fmt.Errorf("%s: %w", list.Server, err)
		}
		fmt.Println(n.row(list.Server))
		sum = sum.plus(n)
	}
	fmt.Println(sum.row("all"))
	return nil
}

// counts holds the tokens of one list of tools in each form.
type counts struct{ tools, raw, full, compact, single int }

func (a counts) plus(b counts) counts {
	return counts{a.tools + b.tools, a.raw + b.raw, a.full + b.full, a.compact + b.compact, a.single + b.single}
}

func (a counts) row(name string) string {
	share := func(n int) string { return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(a.raw)) }
	return fmt.Sprintf("%-22s %6d %9d %16s %16s %22s", name, a.tools, a.raw, share(a.full), share(a.compact), share(a.single))
}

type counter struct {
	codec   tokenizer.Codec
	compact codegen.Options
}

func (c counter) count(list toolslist.List) (n counts, err error) {
	catalog := toolscript.NewCatalog(1, []string{list.Server}, list.Tools)
	names := naming.New(catalog)
	n.tools = len(list.Tools)
	var alone strings.Builder
	for _, t := range list.Tools {
		alone.WriteString(new(codegen.Generator).Render(catalog, names, []string{t.ID()}, c.compact).Text)
	}
	for _, text := range []struct {
		count *int
		text  string
	}{
		{&n.raw, list.Raw},
		{&n.full, codegen.Module(catalog, names, codegen.Options{Form: codegen.Full}).Text},
		{&n.compact, codegen.Module(catalog, names, c.compact).Text},
		{&n.single, alone.String()},
	} {
		if *text.count, err = c.codec.Count(text.text); err != nil {
			return n, err
		}
	}
	return n, nil
}
