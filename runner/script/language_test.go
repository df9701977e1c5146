package script_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
)

// TestOtherLanguages: code in another language causes one error, which names the language.
func TestOtherLanguages(t *testing.T) {
	for code, want := range map[string]string{
		"curl -s https://example.com | jq .":                     "a shell command",
		"$ git status":                                           "a shell command",
		"# list them\nls -la /tmp | grep x":                      "a shell command",
		"FOO=1 npm run build && echo done":                       "a shell command",
		"export FOO=1\necho $FOO":                                "a shell command",
		"#!/bin/bash\necho hi":                                   "a shell command",
		"toolscript call s.echo n=1":                             "a shell command",
		"cd /tmp && for f in *; do echo $f; done":                "a shell command",
		"import json\nfor row in rows:\n    print(row)":          "Python",
		"for f in *.txt; do\n  wc -l $f\ndone":                   "a shell command",
		"for i in 1 2 3\ndo echo $i; done":                       "a shell command",
		"import os\nprint(os.getcwd())":                          "Python",
		"import json":                                            "Python",
		"# read it\nimport os.path as p, sys\n\nx = p.sep":       "Python",
		"def main():\n    return 1":                              "Python",
		"from os import path\nprint(path)":                       "Python",
		"rows = [1]\nif rows:\n  print(rows)\nelse:\n  print(0)": "Python",
		"SELECT id FROM users WHERE name = 'x'":                  "SQL",
		"insert into t values (1)":                               "SQL",
		`{"tool": "s__echo", "args": {"n": 1}}`:                  "JSON",
		"<tool_call>{\"name\": 1}</tool_call>":                   "markup",
	} {
		_, found := script.Compile(runner.Source{Code: code})
		if len(found) != 1 || !strings.HasPrefix(found[0].Message, "this is "+want+", and a script is TypeScript: ") || found[0].Code != "language" {
			t.Errorf("%q: %v, want one about %s", code, found, want)
		}
	}
}

// TestMistakesAreNoOtherLanguage: TypeScript with a mistake keeps its own diagnostics.
func TestMistakesAreNoOtherLanguage(t *testing.T) {
	for _, code := range []string{
		"const a = ;", "find = (", "export const a = (", "cat.sound( ;", "if (a) { return 1", "node = tree[;", "const s = `a", "import fs",
		"import os from", "import { a } from", "for (const a in b; do", "import a, { b } from 'c",
		"echo(1", "switch (a) { case 1: return; default: ) }", "const x = { if: 1, else: 2 };)", "make(1) +", "let go = 1; go = ;", "<T>(a: T) => a;)",
		"a &lt b &amp;&amp; (", "const s = '&lt;'; const t = ;",
	} {
		_, found := script.Compile(runner.Source{Code: code})
		if len(found) == 0 || found[0].Code == "language" {
			t.Errorf("%q: %v", code, found)
		}
	}
}

// TestEntities: code with HTML entities in place of characters is an error that shows the decoded line.
func TestEntities(t *testing.T) {
	for code, line := range map[string]string{
		"const a = 1;\nif (a &lt; 2 &amp;&amp; a &gt; 0) return a;":  "if (a < 2 && a > 0) return a;",
		"const f = (a: number) =&gt; a;\nreturn f(1);":               "const f = (a: number) => a;",
		"return &quot;a &amp; b&quot;;":                              `return "a & b";`,
		"const a: Map&lt;string, number&gt; = new Map();\nreturn a;": "const a: Map<string, number> = new Map();",
		"const a = 1;\nconst b = a &lt; 2;\nreturn b;":               "const b = a < 2;",
		"if (1 &amp;lt; 2) return 1;":                                "if (1 < 2) return 1;",
		"return &#39;a&#x27;;":                                       "return 'a';",
	} {
		_, found := script.Compile(runner.Source{Code: code})
		if len(found) != 1 || !strings.HasPrefix(found[0].Message, "the script has HTML entities such as &") || !strings.HasSuffix(found[0].Message, "the line is: "+line) {
			t.Errorf("%q: %v, want %s", code, found, line)
		}
	}
	for _, code := range []string{
		`return "a &lt; b".replace("&lt;", "<");`, "return `&amp;${1}`;", "const lt = 1, a = 3;\nreturn a &lt;", "// a &lt; b\nreturn 1;",
	} {
		if _, found := script.Compile(runner.Source{Code: code}); len(found) > 0 {
			t.Errorf("%q: %v", code, found)
		}
	}
}
