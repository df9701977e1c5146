package upstream_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/upstream"
)

func TestFrontmatter(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]\n"
	eight := func(of string) string { return "[" + strings.Repeat(of+",", 7) + of + "]" }
	a := eight(`"x"`)
	b, c := eight(a), eight(eight(a))
	for name, tt := range map[string]struct{ listed, text, want string }{
		"equal":               {`{"name":"n","description":"d"}`, "---\nname: n\ndescription: d\n---\nText", ""},
		"quotes and lines":    {`{"name":"n","description":"d: \"e\" f"}`, "---\r\nname: 'n'\r\ndescription: >-\r\n  d:\r\n  \"e\" f\r\n---\r\n", ""},
		"a byte order mark":   {`{"name":"n"}`, "\ufeff---\nname: n\n---", ""},
		"nested values":       {`{"m":{"v":"2.1","n":[1,2.50,true,null]}}`, "---\nm:\n  v: \"2.1\"\n  n: [1, 2.5, true, ~]\n---\n", ""},
		"a date":              {`{"on":"2026-07-28T00:00:00.000Z"}`, "---\non: 2026-07-28\n---\n", ""},
		"an alias":            {`{"a":"x","b":"x"}`, "---\na: &x x\nb: *x\n---\n", ""},
		"another value":       {`{"name":"n","description":"d"}`, "---\nname: n\ndescription: e\n---\n", `the field "description" differs from the listed one`},
		"another type":        {`{"n":true}`, "---\nn: \"true\"\n---\n", `the field "n" differs from the listed one`},
		"a missing field":     {`{"a":"x","b":"x"}`, "---\na: x\n---\n", `the field "b" differs from the listed one`},
		"a hidden field":      {`{"name":"n"}`, "---\nname: n\nallowed-tools: Bash\n---\n", `the field "allowed-tools" is not listed`},
		"a hidden nested one": {`{"m":{"v":"1"}}`, "---\nm: {v: \"1\", w: \"2\"}\n---\n", `the field "m" differs from the listed one`},
		"no frontmatter":      {`{"name":"n"}`, "# Title", "it does not begin with a frontmatter"},
		"no end":              {`{"name":"n"}`, "---\nname: n\n", "it does not begin with a frontmatter"},
		"no YAML":             {`{"name":"n"}`, "---\n{\n---\n", "its frontmatter is not YAML"},
		"a name twice":        {`{"name":"n"}`, "---\nname: n\nname: m\n---\n", "its frontmatter is not YAML"},
		"many aliases":        {`{"a":` + a + `,"b":` + b + `,"c":` + c + `,"d":` + eight(c) + `,"e":` + eight(eight(c)) + `}`, "---\n" + bomb + "---\n", `the field "e" differs from the listed one`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := upstream.Frontmatter.Convert(t.Context(), nil, [][]byte{[]byte(tt.listed + "\n"), []byte(tt.text)}, nil)
			if err != nil || string(got) != tt.want {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
