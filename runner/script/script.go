// Package script turns the TypeScript of a user into a module that an engine
// can run. What it reads is hostile: some kilobytes of text keep the compiler
// busy for minutes or end the process with a stack overflow that no recover
// can catch. So it runs only in a worker process that can be killed, never in
// the gateway.
package script

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

const (
	// DefaultFile is the name of inline code.
	DefaultFile = "script.ts"

	// MaxSource is the longest source that is looked at, in bytes.
	MaxSource = 1 << 20

	byteOrderMark = "\ufeff"

	// maxNesting is how deep brackets and prefix operators may nest. 65,000
	// levels cost the compiler 480 MB of stack; people write fewer than 100.
	maxNesting = 2000
)

// The codes of this package's diagnostics. CodeSyntax is that of text which does
// not parse.
const (
	CodeSyntax  = "syntax"
	codeImport  = "import"
	codeSize    = "size"
	codeNesting = "nesting"
	codeFile    = "file"
)

// refused are the kinds of files that are no script, by the end of their name.
var refused = map[string]string{
	".tsx":  "JSX is not supported",
	".jsx":  "JSX is not supported",
	".json": "JSON is data: pass it on standard input",
	".cjs":  "CommonJS is not supported; use a module",
	".cts":  "CommonJS is not supported; use a module",
}

// Compile translates a script. Diagnostics, in the order of the text, say why
// it cannot be run; when there are any, Compiled is empty.
func Compile(src runner.Source) (runner.Compiled, []toolscript.Diagnostic) {
	u := newUnit(src)
	if found := u.refuse(); found != nil {
		return runner.Compiled{}, []toolscript.Diagnostic{*found}
	}
	tokens, tooDeep := scan(u.code)
	if tooDeep >= 0 {
		message := fmt.Sprintf("the code nests more than %d levels deep", maxNesting)
		return runner.Compiled{}, []toolscript.Diagnostic{u.at(tooDeep, codeNesting, message)}
	}
	out, found := u.build(tokens)
	found = append(found, u.foreignImports(tokens)...)
	if len(found) == 0 {
		found = u.compiledImports(out.imports)
	}
	if len(found) > 0 {
		return runner.Compiled{}, inOrder(found)
	}
	return runner.Compiled{
		JavaScript: out.javaScript, SourceMap: out.sourceMap, Uses: uses(tokens), Returns: out.returns,
	}, nil
}

// A unit is one source on its way through the compiler.
type unit struct {
	file string
	code string
}

func newUnit(src runner.Source) unit {
	return unit{file: cmp.Or(src.File, DefaultFile), code: strings.TrimPrefix(src.Code, byteOrderMark)}
}

// refuse finds what rules a source out before anything looks into it.
func (u unit) refuse() *toolscript.Diagnostic {
	message, code := "", codeFile
	switch reason := refused[strings.ToLower(path.Ext(u.file))]; {
	case reason != "":
		message = fmt.Sprintf("%s is not a script: %s", u.file, reason)
	case len(u.code) > MaxSource:
		code = codeSize
		message = fmt.Sprintf("the source has %d bytes, more than the %d that are allowed", len(u.code), MaxSource)
	case !utf8.ValidString(u.code):
		message = "the source is not UTF-8 text"
	default:
		return nil
	}
	return &toolscript.Diagnostic{File: u.file, Line: 1, Column: 1, Code: code, Message: message}
}

// javaScript reports whether the file is plain JavaScript, in which a<b>(c) is two
// comparisons.
func (u unit) javaScript() bool {
	switch strings.ToLower(path.Ext(u.file)) {
	case ".js", ".mjs":
		return true
	}
	return false
}
