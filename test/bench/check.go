//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/toolslist"
)

// check measures the type check of a script of 20 lines that is new each time: in a new checker
// process, and in one that has checked scripts before.
func (b *bench) check(ctx context.Context) error {
	tools := toolslist.Thousands(0)
	all, small := toolscript.NewCatalog(0, nil, tools), toolscript.NewCatalog(0, nil, tools[:200]) // the tools of the first two servers
	for _, of := range []struct {
		tools   int
		catalog toolscript.Catalog
		want    string
	}{{200, small, ""}, {2000, all, "≤ 5"}} {
		if n := len(of.catalog.Tools()); n != of.tools {
			return fmt.Errorf("the catalog has %d tools, want %d", n, of.tools)
		}
		if err := b.checkAgainst(ctx, of.catalog, of.tools, of.want); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) checkAgainst(ctx context.Context, c toolscript.Catalog, tools int, want string) error {
	names := naming.New(c)
	module := codegen.Module(c, names, codegen.Options{Form: codegen.Declarations})
	declarations := runner.Declarations{Key: "bench", Text: module.Text}
	script := scripts(names.Servers[0])
	var cold, compile, warm []float64
	for i := range 5 {
		checker, err := b.checker(ctx)
		if err != nil {
			return err
		}
		_, took, err := checked(ctx, checker, script(i), declarations)
		checker.Close()
		if err != nil {
			return err
		}
		cold = append(cold, took)
	}
	checker, err := b.checker(ctx)
	if err != nil {
		return err
	}
	defer checker.Close()
	for i := range 220 {
		a, took, err := checked(ctx, checker, script(i), declarations)
		if err != nil {
			return err
		}
		if i >= 20 { // after the warm-up
			compile, warm = append(compile, a), append(warm, took)
		}
	}
	show(fmt.Sprintf("check of 20 new lines against %d tools, new process", tools), "ms", cold, "")
	show(fmt.Sprintf("check of 20 new lines against %d tools, warm", tools), "ms", warm, want)
	show("  compiling them before that", "ms", compile, "")
	return nil
}

func (b *bench) checker(ctx context.Context) (*worker.Checker, error) {
	return worker.StartChecker(ctx, worker.Options{Executable: b.Bin})
}

// checked returns the times to compile and check a valid script, in ms.
func checked(ctx context.Context, c *worker.Checker, code string, d runner.Declarations) (compile, check float64, err error) {
	src := runner.Source{Code: code}
	begin := time.Now()
	_, found, err := c.Compile(ctx, src)
	if err != nil || len(found) > 0 {
		return 0, 0, fmt.Errorf("the script does not compile: %+v, %w", found, err)
	}
	middle := time.Now()
	found, err = c.Check(ctx, runner.TypeCheck{Source: src, Module: d})
	if err != nil || len(found) > 0 {
		return 0, 0, fmt.Errorf("the script is not right: %+v, %w", found, err)
	}
	return milliseconds(middle.Sub(begin)), milliseconds(time.Since(middle)), nil
}

// scripts returns a function that returns a different script of 20 lines for each i. The scripts call
// tools of a server.
func scripts(server naming.Server) func(i int) string {
	return func(i int) string {
		var text strings.Builder
		text.WriteString("import { tools } from \"toolscript\";\n")
		for line := range 19 {
			fmt.Fprintf(&text, "const v%d = await tools.%s.%s({ owner: \"%d\", page: %d, filter: {} }); console.log(v%d.length);\n",
				line, server.Ident, server.Tools[line].Ident, i, line, line)
		}
		return text.String()
	}
}
