package exec_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/exec"
)

const schema = `{"type":"object","additionalProperties":false,"required":["repo"],
	"properties":{"repo":{"type":"string"},"days":{"type":"number"},"all":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}},"ids":{"type":"array","items":{"type":"number"}},
	"level":{"enum":[1,"high"]},"id":{"anyOf":[{"type":"string"},{"type":"number"}]},"none":{"anyOf":[{"type":"number"},{"type":"null"}]},"tree":{"$ref":"#/$defs/t1"},"any":{},"$filter":{"type":"string"},"count":{"type":"integer","minimum":1},"code":{"type":"string","minLength":3},"old":{"$ref":"#/definitions/old"}},
	"definitions":{"old":{"type":"boolean"}},
	"$defs":{"t1":{"type":"object","properties":{"name":{"type":"string"}}}}}`

func TestParse(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"note.txt": "two\nlines\n", "seven": "7", "tags.json": "\ufeff[\"x\", \"y\"]\n", "bytes": "\xff", "octocat": "secret", "sub/octocat": "secret",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, 16<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		words []string
		want  string // JSON, or a part of the error
		wrong bool
	}{
		{"text", []string{"repo=octo/cat"}, `{"repo":"octo/cat"}`, false},
		{"text that looks like a number", []string{"repo=12"}, `{"repo":"12"}`, false},
		{"text with =", []string{"repo=a=b"}, `{"repo":"a=b"}`, false},
		{"empty text", []string{"repo="}, `{"repo":""}`, false},
		{"types", []string{"repo=a", "days=7", "all=true"}, `{"all":true,"days":7,"repo":"a"}`, false},
		{"literals", []string{"repo=a", "level=1"}, `{"level":1,"repo":"a"}`, false},
		{"a literal text", []string{"repo=a", "level=high"}, `{"level":"high","repo":"a"}`, false},
		{"text before number", []string{"repo=a", "id=7"}, `{"id":"7","repo":"a"}`, false},
		{"null", []string{"repo=a", "none=null"}, `{"none":null,"repo":"a"}`, false},
		{"a list as text", []string{"repo=a", `tags=["x"]`}, `{"repo":"a","tags":["x"]}`, false},
		{"json", []string{"repo=a", `tags:=["x"]`, "id:=7"}, `{"id":7,"repo":"a","tags":["x"]}`, false},
		{"a definition", []string{"repo=a", `tree={"name":"x"}`}, `{"repo":"a","tree":{"name":"x"}}`, false},
		{"an old definition", []string{"repo=a", "old=true"}, `{"old":true,"repo":"a"}`, false},
		{"any value is a text", []string{"repo=a", "any=7"}, `{"any":"7","repo":"a"}`, false},

		{"one item", []string{"repo=a", "tags=x"}, `{"repo":"a","tags":["x"]}`, false},
		{"one item that looks like a number", []string{"repo=a", "tags=7"}, `{"repo":"a","tags":["7"]}`, false},
		{"one number", []string{"repo=a", "ids=7"}, `{"ids":[7],"repo":"a"}`, false},
		{"an object", []string{` {"repo": "a", "days": 12345678901234567890}`}, ` {"repo": "a", "days": 12345678901234567890}`, false},
		{"one value for a list in an object", []string{`{"repo": "a", "tags": "x", "ids": 7}`}, `{"ids":[7],"repo":"a","tags":["x"]}`, false},
		{"a wrong value in an object", []string{`{"repo": "a", "tags": {}}`}, `tags`, true},

		{"a file", []string{"repo=@./note.txt"}, `{"repo":"two\nlines\n"}`, false},
		{"a file by its whole path", []string{"repo=@" + filepath.Join(dir, "note.txt")}, `{"repo":"two\nlines\n"}`, false},
		{"a file above", []string{"repo=@../" + filepath.Base(dir) + "/note.txt"}, `{"repo":"two\nlines\n"}`, false},
		{"a number of a file", []string{"repo=a", "days=@./seven"}, `{"days":7,"repo":"a"}`, false},
		{"a file of JSON", []string{"repo=a", "tags:=@tags.json"}, `{"repo":"a","tags":["x","y"]}`, false},
		{"a text with @", []string{"repo=@@octocat"}, `{"repo":"@octocat"}`, false},
		{"a text with two @", []string{"repo=@@@octocat"}, `{"repo":"@@octocat"}`, false},
		{"an address", []string{"repo=ada@example.com"}, `{"repo":"ada@example.com"}`, false},
		{"an object with @", []string{`{"repo": "@./note.txt"}`}, `{"repo": "@./note.txt"}`, false},

		{"a name, of which there is a file", []string{"repo=@octocat"}, `"@octocat" can be a text or a file: for the text, write repo=@@octocat; for the file, write repo=@./octocat`, true},
		{"a name with a slash, of which there is a file", []string{"repo=@sub/octocat"}, "for the text, write repo=@@sub/octocat", true},
		{"a home folder", []string{"repo=@~/.ssh/id"}, "for the text, write repo=@@~/.ssh/id", true},
		{"nothing after @", []string{"repo=@"}, "for the text, write repo=@@;", true},
		{"no file", []string{"repo=@./none.txt"}, "repo=@./none.txt: the file cannot be read: no such file or directory", true},
		{"a folder", []string{"repo=@./"}, "repo=@./: the file cannot be read: is a directory", true},
		{"bytes", []string{"repo=@./bytes"}, "repo=@./bytes: the file cannot be read: it is not UTF-8 text", true},
		{"a large file", []string{"repo=@./large"}, "more than 16 MB", true},
		{"no file of JSON", []string{"tags:=@none.json"}, "tags=@none.json: the file cannot be read", true},
		{"a file that is not JSON", []string{"repo:=@note.txt"}, `the value of "repo" is not JSON: the file "note.txt"`, true},

		{"an object with =", []string{`{"repo": "a b=c"}`}, `{"repo": "a b=c"}`, false},
		{"a name of the schema", []string{"repo=a", "$filter=x"}, `{"$filter":"x","repo":"a"}`, false},

		{"missing", nil, "repo", true},
		{"an object with = and more", []string{`{"repo": "a=b"}`, "days=1"}, "a JSON object has all arguments; leave out the other words", true},
		{"no name before =", []string{"repo=a", "https://x.example/?id=7"}, `is no argument: write key=value, or key:=json, or all arguments as one JSON object: '{"key": "value"}'`, true},
		{"as in YAML", []string{"repo:a=b c"}, "write key=value, here repo='a=b c'", true},
		{"as in YAML, without =", []string{"repo:a"}, "write key=value, here repo=a", true},
		{"a list", []string{`["a=b"]`}, "is no argument", true},
		{"an object that does not fit", []string{`{"repo": 1}`}, "repo: expected string, got number", true},
		{"an object that is broken", []string{`{"repo": `}, "is no JSON object", true},
		{"an object and more", []string{`{"repo": "a"}`, "days=1"}, "leave out the other words", true},
		{"wrong type", []string{"repo=a", "days=soon"}, `days: expected number, got the text "soon"`, true},
		{"out of bounds", []string{"repo=a", "count=0"}, "count: expected at least 1, got number 0", true},
		{"a fraction", []string{"repo=a", "count=1.5"}, "count: expected integer, got number", true},
		{"not a list", []string{"repo=a", "ids=x"}, `ids: expected array, got the text "x"; write it as JSON: ids:='[…]'`, true},
		{"a wrong item", []string{"repo=a", "tags=[1]"}, "tags/0: expected string, got number", true},
		{"a wrong member", []string{"repo=a", `tree={"name":1}`}, "tree/name: expected string, got number", true},
		{"a short text", []string{"repo=a", "code=12"}, "code: expected at least 3 characters", true},
		{"not UTF-8", []string{"repo=a\xffb"}, "is not UTF-8 text", true},
		{"standard input and more", []string{"-", "repo=a"}, "leave out the others", true},
		{"unknown", []string{"repo=a", "dayz=1"}, "dayz", true},
		{"no value", []string{"repo"}, "key=value", true},
		{"no key", []string{"=a"}, "key=value", true},
		{"no key of JSON", []string{":=1"}, "key=value", true},
		{"broken JSON", []string{"repo:=a"}, "not JSON", true},
		{"twice", []string{"repo=a", "repo=b"}, "twice", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := exec.ParseArguments(t.Context(), dir, c.words, json.RawMessage(schema))
			switch {
			case c.wrong && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("Parse = %s, %v; want an error with %q", got, err, c.want)
			case !c.wrong && (err != nil || string(got) != c.want):
				t.Errorf("Parse = %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

// FuzzParse checks that accepted arguments are one JSON object that fits the schema.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"repo=a\x00days=7", "repo:=\"x\"", "tags:=[1]", "=", ":=", "repo=\xff", "tree:={\"name\":{}}"} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		got, err := exec.ParseArguments(t.Context(), dir, strings.Split(text, "\x00"), json.RawMessage(schema))
		if err != nil {
			return
		}
		var object map[string]any
		if json.Unmarshal(got, &object) != nil || object == nil {
			t.Errorf("Parse(%q) = %s, which is no object", text, got)
		}
		if err := exec.CheckArguments(t.Context(), got, json.RawMessage(schema)); err != nil {
			t.Errorf("Parse(%q) = %s, which does not fit: %v", text, got, err)
		}
	})
}

// TestReadsFile checks that ReadsFile knows every word for which ParseArguments reads a file.
func TestReadsFile(t *testing.T) {
	for word, want := range map[string]bool{
		"a=@./b": true, "a=@/b": true, "a:=@b": true, "a=@b": true, "a=@": true, "@=@./b": true,
		`{a=@./b`: true, // one of several words
		"a=b":     false, "a=@@b": false, "a=b=@./c": false, "a": false, `{"a":"@./b"}`: false, "-": false, "a:=1": false,
	} {
		if exec.ReadsFile(word) != want {
			t.Errorf("ReadsFile(%q) = %t", word, !want)
		}
	}
}
