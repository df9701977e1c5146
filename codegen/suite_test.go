package codegen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
)

// suiteModule has a copy of the public JSON-Schema-Test-Suite in its test data.
const suiteModule = "github.com/google/jsonschema-go@v0.4.3"

// suiteGroup is one schema of the suite with valid and invalid instances.
type suiteGroup struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []suiteInstance `json:"tests"`

	file string
}

type suiteInstance struct {
	Description string          `json:"description"`
	Data        json.RawMessage `json:"data"`
	Valid       bool            `json:"valid"`
}

// name returns the key of a group in the tables below.
func (g suiteGroup) name() string { return strings.TrimSuffix(g.file, ".json") + ": " + g.Description }

// suite reads one draft of the suite from the module cache.
func suite(t *testing.T, draft string) []suiteGroup {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", suiteModule).Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil {
		t.Fatalf("go mod download %s: %v: %s", suiteModule, err, out)
	}
	files, err := filepath.Glob(filepath.Join(module.Dir, "jsonschema", "testdata", draft, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no suite in %s (%v)", module.Dir, err)
	}
	var all []suiteGroup
	for _, file := range files {
		var groups []suiteGroup
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, g := range groups {
			g.file = filepath.Base(file)
			all = append(all, g)
		}
	}
	return all
}

// suiteFile is TypeScript that assigns every instance of the suite to the type of its
// schema, one per line.
type suiteFile struct {
	text      bytes.Buffer
	line      int
	instances map[int]suitePlace // by line
}

type suitePlace struct {
	group suiteGroup
	suiteInstance
}

func (f *suiteFile) write(text string) {
	f.text.WriteString(text + "\n")
	f.line += strings.Count(text, "\n") + 1
}

// assign writes the instances of a group. A quoted __proto__ would set the prototype
// of a literal; a computed one is a property.
func (f *suiteFile) assign(g suiteGroup, number int, typeName string) {
	for i, instance := range g.Tests {
		var data bytes.Buffer
		if json.Compact(&data, instance.Data) != nil {
			panic("the suite is read as JSON before")
		}
		literal := strings.ReplaceAll(data.String(), `"__proto__":`, `["__proto__"]:`)
		f.write(fmt.Sprintf("export const v%d_%d: %s = %s;", number, i, typeName, literal))
		if f.instances == nil {
			f.instances = map[int]suitePlace{}
		}
		f.instances[f.line] = suitePlace{g, instance}
	}
}

// ourSuite returns the suite as results of tools.
func ourSuite(groups []suiteGroup, open bool) (declarations string, instances *suiteFile) {
	var tools []toolscript.Tool
	for i, g := range groups {
		tools = append(tools, toolscript.Tool{
			Server: "s", Name: fmt.Sprint("g", i), InputSchema: json.RawMessage(`{"type": "object"}`), OutputSchema: g.Schema,
		})
	}
	f := &suiteFile{}
	f.write(`import type * as types from "./toolscript";`)
	for i, g := range groups {
		f.assign(g, i, fmt.Sprintf("types.SG%dResult", i))
	}
	return module(catalog(tools...), codegen.Options{Form: codegen.Declarations, Open: open}).Text, f
}

// theirSuite returns the suite with types of json-schema-to-typescript, or nil if that is not
// installed. Schemas that json-schema-to-typescript cannot compile get the type any.
func theirSuite(t *testing.T, groups []suiteGroup) (f *suiteFile, failed int) {
	t.Helper()
	peers, err := filepath.Abs(filepath.Join("..", "test", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(peers, "json-schema-to-typescript")); err != nil {
		t.Logf("not compared with json-schema-to-typescript: %v; run: task peers", err)
		return nil, 0
	}
	schemas := make([]json.RawMessage, len(groups))
	for i, g := range groups {
		schemas[i] = g.Schema
	}
	input, err := json.Marshal(schemas)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(peers, ".bin", "node"), filepath.Join("testdata", "json2ts.cjs"), peers)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("json-schema-to-typescript: %v", err)
	}
	var written []*string
	if err := json.Unmarshal(out, &written); err != nil || len(written) != len(groups) {
		t.Fatalf("json-schema-to-typescript wrote %d of %d types (%v)", len(written), len(groups), err)
	}
	f = &suiteFile{}
	for i, g := range groups {
		text := "export type Root = any;"
		if written[i] != nil {
			text = *written[i]
		} else {
			failed++
		}
		f.write(fmt.Sprintf("export namespace N%d {\n%s", i, text))
		f.assign(g, i, "Root")
		f.write("}")
	}
	return f, failed
}

// suiteCounts are the results of one run over one draft.
type suiteCounts struct {
	generator       string
	declarations    int // errors in declarations
	valid, invalid  int
	wrongly, caught int
	groups          []string // with refused valid instances
}

func (c suiteCounts) String() string {
	return fmt.Sprintf("%-42s %3d declaration errors, %3d of %3d valid refused (%4.1f %%), %3d of %3d invalid refused (%4.1f %%)",
		c.generator, c.declarations, c.wrongly, c.valid, percent(c.wrongly, c.valid), c.caught, c.invalid, percent(c.caught, c.invalid))
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

// count counts the errors of the files in a folder.
func (f *suiteFile) count(generator string, errors map[string][]int, folder string) suiteCounts {
	c := suiteCounts{generator: generator}
	refused := map[int]bool{}
	for file, lines := range errors {
		if filepath.Dir(file) != folder {
			continue
		}
		for _, line := range lines {
			if _, ok := f.instances[line]; ok && filepath.Base(file) == "instances.ts" {
				refused[line] = true
			} else {
				c.declarations++
			}
		}
	}
	for line, place := range f.instances {
		switch {
		case place.Valid:
			c.valid++
			if refused[line] {
				c.wrongly++
				c.groups = append(c.groups, place.group.name())
			}
		default:
			c.invalid++
			if refused[line] {
				c.caught++
			}
		}
	}
	slices.Sort(c.groups)
	c.groups = slices.Compact(c.groups)
	return c
}

var errorPlace = regexp.MustCompile(`^(.+)\((\d+),\d+\): error `)

// errorLines returns the lines with errors of tsc, by file.
func errorLines(t *testing.T, files map[string]string) map[string][]int {
	t.Helper()
	all := map[string][]int{}
	for _, text := range typecheck(t, files) {
		if place := errorPlace.FindStringSubmatch(text); place != nil {
			line, err := strconv.Atoi(place[2])
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.ToSlash(place[1])] = append(all[filepath.ToSlash(place[1])], line)
		}
	}
	return all
}

// openness maps names to the values of Options.Open.
var openness = map[string]bool{"open": true, "closed": false}

// TestSuite runs the public JSON-Schema-Test-Suite as TypeScript: valid instances
// should fit the type of their schema, and invalid instances should not, as far as
// types can express it. Figures may only get better.
func TestSuite(t *testing.T) {
	files := map[string]string{}
	runs := map[string]*suiteFile{}
	failed := map[string]int{}
	for _, draft := range []string{"draft2020-12", "draft7"} {
		groups := suite(t, draft)
		for mode, open := range openness {
			folder := draft + "/" + mode
			files[folder+"/toolscript.d.ts"], runs[folder] = ourSuite(groups, open)
		}
		if f, n := theirSuite(t, groups); f != nil {
			runs[draft+"/json-schema-to-typescript"], failed[draft+"/json-schema-to-typescript"] = f, n
		}
	}
	for folder, f := range runs {
		files[folder+"/instances.ts"] = f.text.String()
	}
	errors := errorLines(t, files)
	met := map[string]bool{}
	for folder, bound := range suiteBounds {
		c := runs[folder].count(folder, errors, folder)
		t.Log(c)
		if c.declarations > 0 || c.wrongly > bound.wrongly || c.caught < bound.caught {
			t.Errorf("%s: want no declaration error, at most %d valid instances refused, at least %d invalid ones", folder, bound.wrongly, bound.caught)
		}
		for _, group := range c.groups {
			met[group] = true
			if suiteReasons[group] == "" {
				t.Errorf("%s: %s: valid instances are refused, for no listed reason", folder, group)
			}
		}
	}
	for _, group := range sortedKeys(suiteReasons) {
		if !met[group] {
			t.Errorf("%s: no valid instance is refused any more; take the group off the list", group)
		}
	}
	for folder, f := range runs {
		if n, theirs := failed[folder]; theirs {
			t.Logf("%v; %d schemas do not compile", f.count(folder, errors, folder), n)
		}
	}
}

// suiteBounds are the figures that must not get worse.
var suiteBounds = map[string]struct{ wrongly, caught int }{
	"draft2020-12/open":   {22, 250},
	"draft2020-12/closed": {28, 260},
	"draft7/open":         {23, 225},
	"draft7/closed":       {28, 230},
}

// Reasons why valid instances are refused.
const (
	otherTypes = "keywords of objects or arrays stand without a type, and are taken to mean that type"
	closed     = "objects that do not mention additionalProperties are closed, so that misspelt arguments are found"
	inherited  = "{} inherits toString and constructor of other types in TypeScript"
	patterns   = "a name that matches no pattern gets the type of the index signature all the same"
	siblings   = "draft 7 ignores $id next to $ref; without $schema the draft is not known"
)

// suiteReasons maps groups with refused valid instances to the reason. Groups without such
// instances must not be in the table.
var suiteReasons = map[string]string{
	"additionalProperties: additionalProperties are allowed by default":                                                                     closed,
	"additionalProperties: additionalProperties being false does not allow other properties":                                                otherTypes,
	"dependencies: dependent subschema incompatible with root":                                                                              closed,
	"dependentSchemas: dependent subschema incompatible with root":                                                                          closed,
	"dynamicRef: A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor": closed,
	"items: a schema given for items":                                                                                                       otherTypes,
	"items: an array of schemas for items":                                                                                                  otherTypes,
	"not: forbidden property":                                                                                                               closed,
	"patternProperties: patternProperties validates properties matching a regex":                                                            otherTypes,
	"patternProperties: regexes are not anchored by default and are case sensitive":                                                         patterns,
	"prefixItems: a schema given for prefixItems":                                                                                           otherTypes,
	"properties: object properties validation":                                                                                              otherTypes,
	"properties: properties whose names are Javascript object property names":                                                               inherited + "; " + otherTypes,
	"ref: $ref prevents a sibling $id from changing the base uri":                                                                           siblings,
	"ref: root pointer ref":                                                          otherTypes,
	"ref: simple URN base URI with $ref via the URN":                                 otherTypes,
	"required: required properties whose names are Javascript object property names": otherTypes,
	"required: required validation":                                                  otherTypes,
}
