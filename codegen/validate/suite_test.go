package validate_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/codegen/validate"
)

// suiteModule has a copy of the public JSON-Schema-Test-Suite in its test data.
const suiteModule = "github.com/google/jsonschema-go@v0.4.3"

// suiteGroup is one schema of the suite with valid and invalid instances.
type suiteGroup struct {
	Description string
	Schema      any
	Tests       []struct {
		Description string
		Data        any
		Valid       bool
	}
}

// Reasons why the package accepts instances that JSON Schema refuses.
const (
	sum     = "a closed object has all members that any schema of the same object declares"
	dropped = "a member that is null although it may not be is left out"
)

// accepted maps the groups of the suite with such instances to the reason.
var accepted = map[string]string{
	"additionalProperties.json: dependentSchemas with additionalProperties":                                 sum,
	"dependencies.json: dependent subschema incompatible with root":                                         sum,
	"dependentSchemas.json: dependent subschema incompatible with root":                                     sum,
	"patternProperties.json: regexes are not anchored by default and are case sensitive":                    dropped,
	"ref.json: ref creates new scope when adjacent to keywords":                                             sum,
	"unevaluatedProperties.json: unevaluatedProperties can't see inside cousins":                            sum,
	"unevaluatedProperties.json: unevaluatedProperties can't see inside cousins (reverse order)":            sum,
	"unevaluatedProperties.json: dependentSchemas with unevaluatedProperties":                               sum,
	"unevaluatedProperties.json: dynamic evalation inside nested refs":                                      sum,
	"unevaluatedProperties.json: unevaluatedProperties with anyOf":                                          sum,
	"unevaluatedProperties.json: unevaluatedProperties with dependentSchemas":                               sum,
	"unevaluatedProperties.json: unevaluatedProperties with if/then/else":                                   sum,
	"unevaluatedProperties.json: unevaluatedProperties with if/then/else, then not defined":                 sum,
	"unevaluatedProperties.json: nested unevaluatedProperties, outer true, inner false, properties outside": sum,
	"unevaluatedProperties.json: nested unevaluatedProperties, outer true, inner false, properties inside":  sum,
	"unevaluatedProperties.json: cousin unevaluatedProperties, true and false, true with properties":        sum,
	"unevaluatedProperties.json: cousin unevaluatedProperties, true and false, false with properties":       sum,
	"unevaluatedProperties.json: in-place applicator siblings, allOf has unevaluated":                       sum,
	"unevaluatedProperties.json: in-place applicator siblings, anyOf has unevaluated":                       sum,
}

// TestSuite applies the schemas of the public test suite of JSON Schema. Schemas that refer to
// other documents, and schemas with nested resources and dynamic references, cannot be applied.
// For these, Problem must return a reason, and they must be few.
func TestSuite(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", suiteModule).Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil {
		t.Fatalf("go mod download %s: %v: %s", suiteModule, err, out)
	}
	met := map[string]bool{}
	for draft, dialect := range map[string]string{
		"draft7": "http://json-schema.org/draft-07/schema#", "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
	} {
		t.Run(draft, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(module.Dir, "jsonschema", "testdata", draft, "*.json"))
			if err != nil {
				t.Fatal(err)
			}
			applied, left := 0, 0
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				var groups []suiteGroup
				decoder := json.NewDecoder(strings.NewReader(string(text)))
				decoder.UseNumber()
				if err := decoder.Decode(&groups); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				for _, g := range groups {
					a, l := g.run(t, filepath.Base(file), dialect, met)
					applied, left = applied+a, left+l
				}
			}
			t.Logf("%d instances were checked, %d were not", applied, left)
			if applied < 850 || left > applied/8 {
				t.Errorf("%d instances were checked and %d were not; want 850 or more, and at most an eighth", applied, left)
			}
		})
	}
	for group, reason := range accepted {
		if !met[group] {
			t.Errorf("%s: no instance is accepted any more because %s; take the group off the list", group, reason)
		}
	}
}

// run checks the instances as the property v of an object, because arguments are objects. The
// $id makes the schema its own root. run adds the groups of accepted that it finds to met.
func (g suiteGroup) run(t *testing.T, file, dialect string, met map[string]bool) (applied, left int) {
	t.Helper()
	schema := map[string]any{
		"$schema": dialect, "definitions": map[string]any{"s": g.Schema},
		"properties": map[string]any{"v": map[string]any{"$ref": "#/definitions/s"}}, "required": []any{"v"},
	}
	whole := false
	if inner, ok := g.Schema.(map[string]any); ok {
		_, refers := inner["$ref"]
		_, named := inner["$id"]
		text, err := json.Marshal(inner)
		if err != nil {
			t.Fatal(err)
		}
		if whole = refers || named || strings.Contains(string(text), "$dynamicRef"); whole {
			schema = inner
			schema["$schema"] = dialect
		} else {
			inner["$id"] = "test:suite"
		}
	}
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var v validate.Validator
	group := file + ": " + g.Description
	for _, instance := range g.Tests {
		value := any(map[string]any{"v": instance.Data})
		if whole {
			value = instance.Data
			if _, ok := value.(map[string]any); !ok {
				left++
				continue
			}
		}
		args, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		details, err := v.Check(t.Context(), text, args)
		switch {
		case err != nil:
			t.Errorf("%s: %s: %s: %v", file, g.Description, instance.Description, err)
		case v.Problem(text) != nil:
			left++
		case !instance.Valid && len(details) == 0 && accepted[group] != "":
			met[group] = true
		case instance.Valid != (len(details) == 0):
			t.Errorf("%s: %s: %v; want valid %t", group, instance.Description, details, instance.Valid)
		case v.Fits(text, args) != instance.Valid:
			t.Errorf("%s: %s: %s: Fits = %t", file, g.Description, instance.Description, !instance.Valid)
		default:
			applied++
		}
	}
	return applied, left
}
