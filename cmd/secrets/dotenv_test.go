package secrets_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/secrets"
)

func TestParseEnv(t *testing.T) {
	got, err := secrets.ParseEnv([]byte("\ufeff# comment\n\nA=one\r\nexport B = two words # comment\nC=pa$$word#1\nD='it is $HOME \\n' # c\n" +
		"E=\"a\\n\\\"b\\\"\\\\ \\$x \\z\"\nF=\"-----BEGIN\nline\n-----END\"\nG=\nH=#none\n\texport\tI=9\nexport=x\nJ=last"))
	want := []secrets.Entry{
		{3, "A", "one"},
		{4, "B", "two words"},
		{5, "C", "pa$$word#1"},
		{6, "D", `it is $HOME \n`},
		{7, "E", "a\n\"b\"\\ $x \\z"},
		{8, "F", "-----BEGIN\nline\n-----END"},
		{11, "G", ""},
		{12, "H", ""},
		{13, "I", "9"},
		{14, "export", "x"},
		{15, "J", "last"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestParseEnvMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"A=1\nhunter2":            "line 2: NAME=VALUE is missing",
		"hunter 2=x":              "line 1: before the =",
		"A=1\n\nB=\"hunter2\nx":   "line 3: a quotation mark is not closed",
		"A='hunter2' hunter2\n":   "line 1: there is text after",
		"=hunter2":                "line 1: before the =",
		"A=\"x\ny\"\nhunter2\n\n": "line 3: NAME=VALUE is missing",
	} {
		_, err := secrets.ParseEnv([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzParseEnv appends an entry in single quotes to any text, and finds the entry if the text is valid.
func FuzzParseEnv(f *testing.F) {
	f.Add("A=1\n", "x")
	f.Add("A=\"1\n2\"\n# c", "$ # \" \\")
	f.Fuzz(func(t *testing.T, before, value string) {
		first, err := secrets.ParseEnv([]byte(before))
		if err != nil || strings.Contains(value, "'") {
			return
		}
		all, err := secrets.ParseEnv([]byte(before + "\nLAST='" + value + "'"))
		if err != nil {
			t.Fatalf("%q with %q: %v", before, value, err)
		}
		if diff := cmp.Diff(append(first, secrets.Entry{Line: 2 + strings.Count(before, "\n"), Name: "LAST", Value: value}), all); diff != "" {
			t.Error(diff)
		}
	})
}
