package script_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
)

// TestBannedConstructs checks that constructs that are banned in the scripts of models are found in
// the syntax tree, and never in strings, templates, comments or names of members.
func TestBannedConstructs(t *testing.T) {
	for code, want := range map[string][]string{
		`const fs = require("fs")`:                                        {"1:12 require"},
		`const load = require; load("fs")`:                                {"1:14 require"},
		"import { tools } from 'toolscript'":                              {"1:1 import"},
		"import 'fs'":                                                     {"1:1 import"},
		"import * as fs from 'fs'; fs":                                    {"1:1 import"},
		"import type { A } from 'a'":                                      {"1:1 import"},
		"import a = require('a')":                                         {"1:1 import"},
		"export * from 'a'":                                               {"1:1 import"},
		"const a: import('a').B = 1":                                      {"1:10 import"},
		"await import('fs')":                                              {"1:7 import"},
		"const name = 'fs'; await import(name)":                           {"1:26 import"},
		"console.log(import.meta.url)":                                    {"1:13 import"},
		"eval('1')":                                                       {"1:1 eval"},
		"(0, eval)('1')":                                                  {"1:5 eval"},
		"const e = eval":                                                  {"1:11 eval"},
		"new Function('return 1')()":                                      {"1:5 new Function"},
		"Function('return 1')()":                                          {"1:1 new Function"},
		"new (Function)('return 1')()":                                    {"1:5 new Function"},
		"\n  eval('1'); require('a')":                                     {"2:3 eval", "2:14 require"},
		"return `${eval('1')}`":                                           {"1:11 eval"},
		"/// <reference path='a.ts' />\nreturn 1":                         {"1:1 reference comments"},
		`return "require('fs'); eval(1); import 'a'"`:                     nil,
		"return `import 'fs'; new Function()`":                            nil,
		"// eval('1'); import 'a'\nreturn 1":                              nil,
		"/* require('fs') */ return 1":                                    nil,
		"return a.eval() + a.require + a['import']; declare const a: any": nil,
		"return { eval: 1, require: 2, import: 3 }":                       nil,
		"function require(a: string) { return a } return require('a')":    nil,
		"return (() => 1) instanceof Function":                            nil,
		"const f: Function = () => 1; return f()":                         nil,
		"return /eval\\(import/.test('a')":                                nil,
	} {
		_, found := script.Compile(runner.Source{Code: code, Dialect: toolscript.DialectHarness})
		var got []string
		for _, d := range found {
			got = append(got, strings.TrimSuffix(fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Message), " is not allowed; the language and tools need no import"))
		}
		if slices.Equal(got, want) || len(got) == 1 && len(want) == 1 && strings.HasPrefix(got[0], want[0]) {
			continue
		}
		t.Errorf("%s: %q, want %q", code, got, want)
	}
}

// TestToolsNamed checks which tools a script names.
func TestToolsNamed(t *testing.T) {
	for code, want := range map[string][]string{
		"return await tools.github.createIssue({})":                                                      {"github.createIssue"},
		"return await tools.readFile({ filePath: 'a' })":                                                 {"readFile"},
		"const { a } = tools.github; tools['github']['listIssues']({}); tools.readFile({}).then(String)": {"github", "github.listIssues", "readFile"},
		"tools.spawn.github.createIssue({}); tools.spawn.exec('prompts.get', {})":                        {"github.createIssue", "prompts.get"},
		"(tools.a)!.b({}); tools?.c.d({}); tools.c.d({})":                                                {"a.b", "c.d"},
		"const tools = { a() {} }; tools.a()":                                                            nil,
		"return Object.keys(tools)":                                                                      nil,
		"// tools.a.b()\nreturn 'tools.a.b()'":                                                           nil,
	} {
		compiled, found := script.Compile(runner.Source{Code: code})
		if len(found) > 0 {
			t.Errorf("%s: %v", code, found)
		}
		if diff := cmp.Diff(want, compiled.Tools); diff != "" {
			t.Errorf("%s (-want +got):\n%s", code, diff)
		}
	}
}
