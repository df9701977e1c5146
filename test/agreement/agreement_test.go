// Package agreement_test compares the generated types of tools with the gateway's check of
// arguments: the check must accept every argument that the type of the parameters accepts.
package agreement_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
	"github.com/toolscript/toolscript/test/toolslist"
)

var (
	schemas = flag.Int("schemas", 300, "random schemas")
	seed    = flag.Uint64("seed", 1, "of the random schemas")
)

const (
	atOnce    = 100 // lines that are checked at a time
	mostFound = 100 // maximum number of findings that the checker reports
)

// batch is the number of tools in one module.
const batch = 100

// trial is one set of arguments and the verdicts of the type checker and of the gateway's check.
type trial struct {
	tool    toolscript.Tool
	args    []byte
	refused string // message of TypeScript; "" if it accepts the arguments
	details []toolscript.Detail
}

// TestRandomSchemas compares types and checks of random schemas.
func TestRandomSchemas(t *testing.T) {
	var tools []toolscript.Tool
	for i := range *schemas {
		a := author{Rand: rand.New(rand.NewPCG(*seed, uint64(i)))}
		text, err := json.Marshal(a.schema())
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, toolscript.Tool{Server: "s", Name: fmt.Sprint("t", i), InputSchema: text})
	}
	judge(t, tools, false, false)
}

// TestRealTools compares types and checks of real servers' tools. Here the types must also accept what
// the check accepts, except for the reasons of onlyTypes.
func TestRealTools(t *testing.T) {
	lists, err := toolslist.Read(toolslist.Dir("../.."))
	if err != nil {
		t.Fatal(err)
	}
	var tools []toolscript.Tool
	for _, list := range lists {
		tools = append(tools, list.Tools...)
	}
	for name, open := range map[string]bool{"closed": false, "open": true} {
		t.Run(name, func(t *testing.T) { judge(t, tools, open, true) })
	}
}

// judge compares the verdicts of the types and of the check. open is codegen.Options.Open; both says
// that the types must also accept what the check accepts.
func judge(t *testing.T, tools []toolscript.Tool, open, both bool) {
	t.Helper()
	checker := script.NewChecker()
	var validator validate.Validator
	counts := map[string]int{}
	all := 0
	for part := range slices.Chunk(tools, batch) {
		for _, tr := range trials(t, checker, &validator, part, open) {
			reason := tr.reason(t, &validator)
			if reason == onlyTypeScript && both {
				reason = tr.onlyTypes(open)
			}
			counts[reason]++
			all++
			if reason == unexplained {
				t.Errorf("%s: TypeScript refuses: %q; validator: %v\n%s\n%s\n%s", tr.tool.ID(), tr.refused, tr.details, tr.args, tr.tool.InputSchema, codegen.Signature(tr.tool, "t", 1000))
			}
		}
	}
	for _, reason := range sorted(counts) {
		t.Logf("%6d %s", counts[reason], reason)
	}
	if counts[refusedByBoth] < all/10 || counts[acceptedByBoth] < all/10 {
		t.Errorf("of %d arguments hardly any tell something", all)
	}
}

// trials makes arguments for tools, and gets both verdicts about them.
func trials(t *testing.T, checker *script.Checker, validator *validate.Validator, tools []toolscript.Tool, open bool) []trial {
	t.Helper()
	var servers []string
	for _, tool := range tools {
		servers = append(servers, tool.Server)
	}
	c := toolscript.NewCatalog(1, slices.Compact(servers), tools)
	n := naming.New(c)
	module := tools[0].ID()
	checker.Declare(module, codegen.Module(c, n, codegen.Options{Form: codegen.Declarations, Open: open}).Text)
	var all []trial
	code := []string{`import type * as types from "toolscript";`}
	for i, tool := range c.Tools() {
		_, names, _ := n.Tool(tool)
		for _, args := range argumentsOf(t, tool, uint64(i)) {
			details, err := validator.Check(t.Context(), tool.InputSchema, args)
			if err != nil {
				t.Fatalf("%s: %s: %v", tool.ID(), args, err)
			}
			all = append(all, trial{tool: tool, args: args, details: details})
			code = append(code, fmt.Sprintf("export const v%d: types.%s = %s;", len(all), names.Params, args))
		}
	}
	refuse(t, checker, module, code, all)
	return all
}

// refuse type-checks one line of code for each trial, after the import in the first line, and stores
// TypeScript's messages in the trials. The checker reports at most 100 findings, so refuse divides
// code with more.
func refuse(t *testing.T, checker *script.Checker, module string, code []string, all []trial) {
	t.Helper()
	var found []toolscript.Diagnostic
	if len(all) <= atOnce {
		var known bool
		// Strict, because otherwise every type includes null.
		if found, known = checker.Check(runner.Source{Code: strings.Join(code, "\n")}, false, module, true); !known {
			t.Fatal("the module is not known")
		}
	}
	if len(all) > atOnce || len(found) >= mostFound && len(all) > 1 {
		half := len(all) / 2
		refuse(t, checker, module, code[:1+half], all[:half])
		refuse(t, checker, module, append(code[:1:1], code[1+half:]...), all[half:])
		return
	}
	for _, d := range found {
		all[d.Line-2].refused = d.Message
	}
}

// validPerTool and invalidPerTool are the numbers of valid and of changed arguments per tool.
const (
	validPerTool   = 4
	invalidPerTool = 6
)

// argumentsOf returns different sets of arguments for a tool, as JSON.
func argumentsOf(t *testing.T, tool toolscript.Tool, seed uint64) [][]byte {
	t.Helper()
	var schema any
	if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
		t.Fatalf("%s: %v", tool.ID(), err)
	}
	m := maker{Rand: rand.New(rand.NewPCG(seed, 1)), root: schema}
	var all [][]byte
	for i := range validPerTool + invalidPerTool {
		value := m.value(schema, 0)
		if i >= validPerTool {
			value = m.mutated(value)
		}
		args, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(args, []byte("{")) && !slices.ContainsFunc(all, func(b []byte) bool { return bytes.Equal(b, args) }) {
			all = append(all, args)
		}
	}
	return all
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
