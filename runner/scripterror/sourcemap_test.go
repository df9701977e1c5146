package scripterror_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/runner/scripterror"
)

// small maps columns 1 and 5 of generated line 1 to source line 1. Generated line 2
// starts with text without a source; its column 3 maps to source line 3, column 2.
const small = `{"version":3,"sources":["user:main.ts"],"sourcesContent":["abc\n\n\tdef"],"mappings":"AAAA,IAAE;A,EAED","names":[]}`

func parse(t *testing.T, text string) *scripterror.Map {
	t.Helper()
	m, err := scripterror.ParseMap(text)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return m
}

func TestLookup(t *testing.T) {
	m := parse(t, small)
	type place struct {
		Source       string
		Line, Column int
		OK           bool
	}
	tests := []struct {
		name         string
		line, column int
		want         place
	}{
		{"first segment", 1, 1, place{"user:main.ts", 1, 1, true}},
		{"inside the first segment", 1, 4, place{"user:main.ts", 1, 1, true}},
		{"second segment", 1, 5, place{"user:main.ts", 1, 3, true}},
		{"behind the last segment", 1, 900, place{"user:main.ts", 1, 3, true}},
		{"text of no source", 2, 1, place{}},
		{"later line", 2, 3, place{"user:main.ts", 3, 2, true}},
		{"line 0", 0, 1, place{}},
		{"column 0", 1, 0, place{}},
		{"line behind the end", 3, 1, place{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got place
			got.Source, got.Line, got.Column, got.OK = m.Lookup(test.line, test.column)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Lookup(%d, %d) (-want +got):\n%s", test.line, test.column, diff)
			}
		})
	}
}

func TestNilAndEmptyMapsFindNothing(t *testing.T) {
	for _, m := range []*scripterror.Map{nil, parse(t, "")} {
		if _, _, _, ok := m.Lookup(1, 1); ok {
			t.Error("Lookup found a place in a map that has none")
		}
		if got := m.Excerpt(1, 1); got != "" {
			t.Errorf("Excerpt = %q, want none", got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":                  `{`,
		"another version":          `{"version":2,"mappings":""}`,
		"a character out of range": `{"version":3,"sources":["a"],"mappings":"A!AA"}`,
		"two fields":               `{"version":3,"sources":["a"],"mappings":"AA"}`,
		"an unfinished number":     `{"version":3,"sources":["a"],"mappings":"g"}`,
		"an endless number":        `{"version":3,"sources":["a"],"mappings":"ggggggggggggggggA"}`,
		"a source that is not":     `{"version":3,"sources":["a"],"mappings":"ACAA"}`,
		"a line before the first":  `{"version":3,"sources":["a"],"mappings":"AADA"}`,
	} {
		if _, err := scripterror.ParseMap(text); err == nil {
			t.Errorf("%s: Parse gave no error", name)
		}
	}
}

func TestExcerpt(t *testing.T) {
	long := make([]byte, 1000)
	for i := range long {
		long[i] = byte('a' + i%26)
	}
	tests := []struct {
		name, text   string
		line, column int
		want         string
	}{
		{"middle of a line", "one\ntwo", 2, 2, "two\n ^"},
		{"a tab stays a tab", "\tx", 1, 2, "\tx\n\t^"},
		{"columns are UTF-16 units", "😀x", 1, 3, "😀x\n ^"},
		{"one behind the end", "ab", 1, 3, "ab\n  ^"},
		{"far behind the end", "ab", 1, 99, "ab\n  ^"},
		{"CR LF and line separator", "a\r\nb\u2028c", 3, 1, "c\n^"},
		{"empty text has one line", "", 1, 1, "\n^"},
		{"no such line", "a", 2, 1, ""},
		{"line 0", "a", 0, 1, ""},
		{"a long line is cut", string(long), 1, 501, string(long[440:560]) + "\n" + spaces(60) + "^"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := scripterror.Excerpt(test.text, test.line, test.column); got != test.want {
				t.Errorf("Excerpt(%d, %d) = %q, want %q", test.line, test.column, got, test.want)
			}
		})
	}
}

func spaces(n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = ' '
	}
	return string(out)
}

func TestRewriteNamesTheUsersFile(t *testing.T) {
	text, err := scripterror.Rewrite(small, "job.ts", "abc\n\n\tdef", scripterror.Insertion{})
	if err != nil {
		t.Fatal(err)
	}
	source, line, column, ok := parse(t, text).Lookup(2, 3)
	if source != "job.ts" || line != 3 || column != 2 || !ok {
		t.Errorf("Lookup = %s:%d:%d %t, want job.ts:3:2 true", source, line, column, ok)
	}
}

func TestRewriteTakesTheInsertionOut(t *testing.T) {
	// The compiler's input was "a>>bc", with two columns inserted at column 2.
	const seen = `{"version":3,"sources":["x"],"mappings":"AAAA,CAAC,CAAC,CAAC,CAAC;AACD","names":[]}`
	text, err := scripterror.Rewrite(seen, "job.ts", "abc\nd", scripterror.Insertion{Line: 1, Column: 2, Length: 2})
	if err != nil {
		t.Fatal(err)
	}
	m := parse(t, text)
	var got []int
	for column := 1; column <= 5; column++ {
		_, _, c, _ := m.Lookup(1, column)
		got = append(got, c)
	}
	if want := []int{1, 0, 0, 2, 3}; !cmp.Equal(got, want) {
		t.Errorf("columns = %v, want %v: the insertion itself has no source", got, want)
	}
	if _, line, column, _ := m.Lookup(2, 1); line != 2 || column != 4 {
		t.Errorf("second line maps to %d:%d, want 2:4: other lines stay", line, column)
	}
	if got, want := m.Excerpt(1, 2), "abc\n ^"; got != want {
		t.Errorf("Excerpt = %q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	const known = 64 // number of lines in the source; Rewrite drops mappings to later lines
	f.Add("AAAA,IAAE;A,EAED")
	f.Add("gggggA;;;,,,D")
	f.Fuzz(func(t *testing.T, mappings string) {
		text, err := json.Marshal(map[string]any{"version": 3, "sources": []string{"a"}, "mappings": mappings})
		if err != nil {
			t.Fatal(err)
		}
		m, err := scripterror.ParseMap(string(text))
		if err != nil {
			return
		}
		again, err := scripterror.Rewrite(string(text), "a", strings.Repeat("\n", known-1), scripterror.Insertion{Line: 1 << 30, Column: 1, Length: 1})
		if err != nil {
			t.Fatalf("Rewrite: %v", err)
		}
		copied := parse(t, again)
		for line := 1; line < 4; line++ {
			for column := 1; column < 20; column++ {
				s1, l1, c1, ok1 := m.Lookup(line, column)
				if l1 > known {
					s1, l1, c1, ok1 = "", 0, 0, false
				}
				s2, l2, c2, ok2 := copied.Lookup(line, column)
				if s1 != s2 || l1 != l2 || c1 != c2 || ok1 != ok2 {
					t.Fatalf("%d:%d maps to %d:%d, and to %d:%d after printing", line, column, l1, c1, l2, c2)
				}
			}
		}
	})
}
