package codegen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/naming"
)

// trial is one set of arguments and the validator's result for it.
type trial struct {
	tool    toolscript.Tool
	args    []byte
	details []toolscript.Detail
}

// validPerTool and spoilt are the numbers of arguments per tool.
const (
	validPerTool   = 8
	invalidPerTool = 16
)

// TestTypesAndValidatorAgree makes sound and spoilt arguments from the schemas of
// real tools, and checks them with TypeScript and with the validator. Each difference
// must have a listed reason.
func TestTypesAndValidatorAgree(t *testing.T) {
	tools, _ := corpus(t)
	c := catalog(tools...)
	n := naming.New(c)
	var validator validate.Validator
	var lines strings.Builder
	var trials []trial
	lines.WriteString("import type * as types from \"./toolscript\";\n")
	for i, tool := range c.Tools() {
		_, names, _ := n.Tool(tool)
		for _, args := range argumentsOf(t, tool, uint64(i)) {
			details, err := validator.Check(t.Context(), tool.InputSchema, args)
			if err != nil {
				t.Fatalf("%s: %s: %v", tool.ID(), args, err)
			}
			trials = append(trials, trial{tool, args, details})
			fmt.Fprintf(&lines, "export const v%d: types.%s = %s;\n", len(trials), names.Params, args)
		}
		if problem := validator.Problem(tool.InputSchema); problem != nil {
			t.Errorf("%s is not validated: %v", tool.ID(), problem)
		}
	}
	files := map[string]string{}
	for mode, open := range openness {
		files[mode+"/toolscript.d.ts"] = codegen.Module(c, n, codegen.Options{Form: codegen.Declarations, Open: open}).Text
		files[mode+"/arguments.ts"] = lines.String()
	}
	errors := errorLines(t, files)
	for mode, open := range openness {
		t.Run(mode, func(t *testing.T) { compare(t, trials, errors[mode+"/arguments.ts"], open) })
	}
}

// openness has both meanings of objects that do not mention additionalProperties.
var openness = map[string]bool{"open": true, "closed": false}

// argumentsOf returns different arguments for a tool, as JSON.
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

// compare counts agreements, and differences by reason.
func compare(t *testing.T, trials []trial, refusedLines []int, open bool) {
	t.Helper()
	refused := make(map[int]bool, len(refusedLines))
	for _, line := range refusedLines {
		refused[line-2] = true // after the import, from 1
	}
	counts := map[string]int{}
	for i, tr := range trials {
		switch byTypes, byValidator := refused[i], len(tr.details) > 0; {
		case byTypes && byValidator:
			counts["refused by both"]++
		case !byTypes && !byValidator:
			counts["accepted by both"]++
		default:
			reason := tr.reason(byTypes, open)
			counts[reason]++
			if reason == unexplained {
				t.Errorf("%s: TypeScript refuses: %t; validator: %v\n%s", tr.tool.ID(), byTypes, tr.details, tr.args)
			}
		}
	}
	for _, reason := range sortedKeys(counts) {
		t.Logf("%6d %s", counts[reason], reason)
	}
	if counts["refused by both"] < len(trials)/10 || counts["accepted by both"] < len(trials)/10 {
		t.Errorf("of %d arguments hardly any tell something", len(trials))
	}
}

const unexplained = "for no listed reason"

// beyond is a rule that only the validator checks.
type beyond struct {
	message *regexp.Regexp
	reason  string
}

// beyondTypes matches messages of the validator about rules that types cannot
// express.
var beyondTypes = []beyond{
	{regexp.MustCompile(`expected a string that matches`), "only the validator refuses: pattern"},
	{regexp.MustCompile(`expected at (least|most) -?[\d.e+]+ characters`), "only the validator refuses: minLength, maxLength"},
	{regexp.MustCompile(`expected at (least|most) \d+ items`), "only the validator refuses: minItems, maxItems"},
	{regexp.MustCompile(`expected (at least|at most|more than|less than|a multiple of) -?[\d.e+]+, got number`), "only the validator refuses: minimum, maximum, multipleOf"},
	{regexp.MustCompile(`expected integer, got number`), "only the validator refuses: integer"},
	{regexp.MustCompile(`expected items that differ`), "only the validator refuses: uniqueItems"},
}

// reason returns the reason for a difference.
func (tr trial) reason(byTypes, open bool) string {
	if byTypes {
		if !open && misspelt.Match(tr.args) {
			return "only TypeScript refuses: an unknown property of an object that does not mention additionalProperties"
		}
		return unexplained
	}
	reason := unexplained
	for _, d := range tr.details {
		known := slices.IndexFunc(beyondTypes, func(b beyond) bool { return b.message.MatchString(d.Message) })
		if known < 0 {
			return unexplained
		}
		reason = beyondTypes[known].reason
	}
	return reason
}

// misspelt matches the names that spoiled adds.
var misspelt = regexp.MustCompile(`"(misspelt|unexpected|odd)":`)
