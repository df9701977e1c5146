//go:build linux

// Command table plays recorded workflows in two ways, with a script in one answer and with structured
// calls, and prints how much a model has to write and read in each. Only the answers of the model are
// not real. Run it with `task harness-table`.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/tiktoken-go/tokenizer"

	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/test/harness/workflow"
)

func main() {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "__") { // a helper process of the gateway
		os.Exit(cli.Main())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "harness-table:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	all, err := workflow.All()
	if err != nil {
		return err
	}
	// Tokenizers of models differ, but the ratios hardly depend on them.
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "toolscript-table-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	bin := filepath.Join(dir, "bin", "toolscript")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/toolscript").CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	s, err := workflow.Open(ctx, bin, filepath.Join(dir, "scene"))
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	fmt.Println("| workflow | turns | calls | bytes written | tokens written | bytes read | tokens read |")
	fmt.Println("|---|---|---|---|---|---|---|")
	var script, structured figures
	for _, w := range all {
		one, err := play(codec, w, s.Script)
		if err != nil {
			return fmt.Errorf("%s with a script: %w", w.Name, err)
		}
		other, err := play(codec, w, s.Structured)
		if err != nil {
			return fmt.Errorf("%s with structured calls: %w", w.Name, err)
		}
		if !maps.Equal(one.tree, other.tree) {
			return fmt.Errorf("%s: the files differ", w.Name)
		}
		fmt.Println(row(w.Name, one, other))
		script, structured = script.plus(one), structured.plus(other)
	}
	fmt.Println(row("all", script, structured))
	return nil
}

// figures counts what a model does in one way of working.
type figures struct {
	turns, calls, bytesOut, tokensOut, bytesIn, tokensIn int

	tree map[string]string // files after the task
}

func play(codec tokenizer.Codec, w workflow.Workflow, way func(workflow.Workflow) (workflow.Result, error)) (figures, error) {
	r, err := way(w)
	f := figures{turns: r.Turns, calls: r.Calls, tree: r.Tree}
	if err != nil {
		return f, err
	}
	for _, part := range []struct {
		texts         []string
		bytes, tokens *int
	}{{r.Written, &f.bytesOut, &f.tokensOut}, {r.Read, &f.bytesIn, &f.tokensIn}} {
		for _, text := range part.texts {
			n, err := codec.Count(text)
			if err != nil {
				return f, err
			}
			*part.bytes += len(text)
			*part.tokens += n
		}
	}
	return f, nil
}

func (f figures) plus(g figures) figures {
	return figures{
		turns: f.turns + g.turns, calls: f.calls + g.calls,
		bytesOut: f.bytesOut + g.bytesOut, tokensOut: f.tokensOut + g.tokensOut, bytesIn: f.bytesIn + g.bytesIn, tokensIn: f.tokensIn + g.tokensIn,
	}
}

// row returns a row with the figures of the script and, after a slash, those of structured calls.
func row(name string, a, b figures) string {
	return fmt.Sprintf("| %s | %d / %d | %d / %d | %d / %d | %d / %d | %d / %d | %d / %d |", name,
		a.turns, b.turns, a.calls, b.calls, a.bytesOut, b.bytesOut, a.tokensOut, b.tokensOut, a.bytesIn, b.bytesIn, a.tokensIn, b.tokensIn)
}
