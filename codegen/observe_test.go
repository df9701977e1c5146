package codegen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript/codegen"
)

// seen returns the type of a tool after these results.
func seen(results ...string) string {
	var o codegen.Observer
	for _, r := range results {
		o.See("s__t", json.RawMessage(r))
	}
	return o.Shapes().Type("s__t")
}

func TestShapes(t *testing.T) {
	many := map[string]int{}
	for i := range 41 {
		many[fmt.Sprint("n", i)] = i
	}
	names, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		results []string
		want    string
	}{
		{"nothing", nil, ""},
		{"text", []string{`"secret"`}, "string"},
		{"object", []string{`{"b": 1, "a": "secret"}`}, "{ a?: string; b?: number; [key: string]: any }"},
		{"objects merge", []string{`{"a": 1}`, `{"a": null, "b": true}`}, "{ a?: number | null; b?: boolean; [key: string]: any }"},
		{"array", []string{`[{"a": 1}, {"b": "x"}]`}, "{ a?: number; b?: string; [key: string]: any }[]"},
		{"array of several", []string{`[1, "x", null]`}, "(number | string | null)[]"},
		{"empty array, then not", []string{`[]`, `[1]`}, "number[]"},
		{"empty array", []string{`{"a": []}`}, "{ a?: any[]; [key: string]: any }"},
		{"different each time", []string{`[1]`, `{"a": 1}`, `"x"`}, "{ a?: number; [key: string]: any } | number[] | string"},
		{"names with a dash", []string{`{"content-type": "x"}`}, `{ "content-type"?: string; [key: string]: any }`},
		{"addresses are data", []string{`{"a@example.com": 1, "b": 2}`}, "{ [key: string]: number | undefined }"},
		{"numbers are data", []string{`{"user8812": {"age": 1}}`}, "{ [key: string]: { age?: number; [key: string]: any } | undefined }"},
		{"names after data", []string{`{"x y": 1}`, `{"a": "t"}`}, "{ [key: string]: number | string | undefined }"},
		{"many names are data", []string{string(names)}, "{ [key: string]: number | undefined }"},
		{"hostile names", []string{`{"*/ export const x = 1; /*": 1}`}, "{ [key: string]: number | undefined }"},
		{"not JSON", []string{`{`}, ""},
		{"too long", []string{`"` + strings.Repeat("x", 300<<10) + `"`}, ""},
		{"deep", []string{strings.Repeat(`{"a":`, 30) + "1" + strings.Repeat("}", 30)}, strings.Repeat("{ a?: ", 6) + "{ [key: string]: any }" + strings.Repeat("; [key: string]: any }", 6)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := seen(tt.results...); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestShapesAreShort checks that documentation stays short after any results.
func TestShapesAreShort(t *testing.T) {
	var level func(depth int) string
	level = func(depth int) string {
		if depth == 0 {
			return "1"
		}
		var members []string
		for i := range 8 {
			members = append(members, fmt.Sprintf(`"member%d": %s`, i, level(depth-1)))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	if got := seen(level(4)); got == "" || len(got) > 600 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// TestVersion checks that the version changes exactly if the shapes change.
func TestVersion(t *testing.T) {
	var o codegen.Observer
	first := o.Shapes().Version()
	o.See("a", json.RawMessage(`{"x": 1}`))
	second := o.Shapes().Version()
	o.See("a", json.RawMessage(`{"x": 2}`))
	if third := o.Shapes().Version(); first == second || second != third {
		t.Errorf("versions %d, %d, %d: want the last two equal", first, second, third)
	}
	var none *codegen.Shapes
	if none.Version() != 0 || none.Type("a") != "" {
		t.Error("nil shapes know something")
	}
}

func TestManyAtOnce(t *testing.T) {
	var o codegen.Observer
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 200 {
				o.See(fmt.Sprint("t", j%50), json.RawMessage(fmt.Sprintf(`{"a%d": [%d, "x"]}`, i, j)))
				_ = o.Shapes().Type("t1")
			}
		})
	}
	group.Wait()
	if got := o.Shapes().Type("t0"); !strings.Contains(got, "a0?: (number | string)[]") || !strings.Contains(got, "a7?:") {
		t.Errorf("after all of them: %s", got)
	}
}
