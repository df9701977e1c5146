package confine

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSameWork: a profile is verified only if the server does the same under it as without it.
func TestSameWork(t *testing.T) {
	calls := func(failed, succeeded int) toolWork {
		return toolWork{tools: 2, calls: map[string][2]int{"a__t": {failed, succeeded}}}
	}
	minor := []Problem{{What: "lists /", Minor: true}}
	for name, c := range map[string]struct {
		before, again toolWork
		what          string
		refused       []Problem
		script        bool
		fails, want   string
	}{
		"the same":             {before: calls(1, 2), again: calls(1, 2), what: verifyScript, script: true},
		"with a minor refusal": {before: calls(0, 1), again: calls(0, 1), what: verifyScript, script: true, refused: minor},
		"only the start":       {before: calls(0, 1), again: toolWork{tools: 2}, what: verifyStart, script: true, want: "the script did not run again"},
		"a session":            {before: toolWork{tools: 2}, again: toolWork{tools: 2}, what: verifyStart, want: "the calls of the session were not made again"},
		"fewer tools":          {before: calls(0, 1), again: toolWork{tools: 1, calls: calls(0, 1).calls}, what: verifyScript, script: true, want: "it lists 1 tools, and listed 2 before"},
		"a call that fails":    {before: calls(0, 2), again: calls(1, 1), what: verifyScript, script: true, fails: "calls of a__t fail that worked before"},
		"a call less":          {before: calls(0, 2), again: calls(0, 1), what: verifyScript, script: true, want: "0 calls of a__t failed and 1 succeeded"},
		"no call":              {before: calls(0, 2), again: toolWork{tools: 2}, what: verifyScript, script: true, want: "0 calls of a__t failed and 0 succeeded"},
		"another value": {
			before: toolWork{tools: 2, value: json.RawMessage(`["a.txt"]`)}, again: toolWork{tools: 2, value: json.RawMessage(`[]`)}, what: verifyScript, script: true,
			want: `the script returned [], and ["a.txt"] before`,
		},
		"no value":  {before: toolWork{tools: 2, value: json.RawMessage(`1`)}, again: toolWork{tools: 2}, what: verifyScript, script: true, want: "the script returned nothing, and 1 before"},
		"a refusal": {before: calls(0, 1), again: calls(0, 1), what: verifyScript, script: true, refused: []Problem{{What: "reads /x"}}, want: "it was refused what it did before (1)"},
	} {
		fails, differs := c.before.compare(c.again, verification{What: c.what, Refused: c.refused}, c.script)
		got := strings.Join(differs, "; ")
		if fails != c.fails || (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, %q; want %q, %q", name, fails, got, c.fails, c.want)
		}
	}
}
