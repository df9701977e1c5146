// Package script compiles the TypeScript of a user to a module that an engine can run, and finds type errors.
// Scripts are hostile: some kilobytes of text keep the compiler busy for minutes, or end the
// process with a stack overflow that recover cannot catch. Therefore, only a worker process
// that can be killed may use the package, never the gateway.
package script

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

const (
	// DefaultFile is the name of inline code.
	DefaultFile = "script.ts"

	// MaxSource is the maximal length of a source in bytes.
	MaxSource = 1 << 20

	byteOrderMark = "\ufeff"
)

// The codes of this package's diagnostics. codeSyntax is the code for text that does not parse.
const (
	codeSyntax = "syntax"
	codeImport = "import"
	codeBanned = "banned"
	codeSize   = "size"
	codeFile   = "file"
)

// refused maps file extensions to the reason why such a file is not a script.
var refused = map[string]string{
	".tsx":  "JSX is not supported",
	".jsx":  "JSX is not supported",
	".json": "JSON is data: pass it on standard input",
	".cjs":  "CommonJS is not supported; use a module",
	".cts":  "CommonJS is not supported; use a module",
}

// Compile compiles a script and the modules that it imports. The diagnostics of each file
// are in the order of its text. A script with diagnostics cannot run, and its Compiled is
// empty.
func Compile(src runner.Source) (runner.Compiled, []toolscript.Diagnostic) {
	return newGraph(src).compile()
}

// unit is the text of one file.
type unit struct {
	file    string
	code    string
	dialect string
	module  bool // the file is a module that a script imports
}

func newUnit(src runner.Source) unit {
	return unit{file: cmp.Or(src.File, DefaultFile), code: strings.TrimPrefix(src.Code, byteOrderMark), dialect: src.Dialect}
}

// refuse returns a diagnostic for a file that can be rejected without parsing, or nil.
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

// exported lists the values that the module "toolscript" exports. A script can use them
// without an import.
var exported = []string{"tools", "store", "stdin", "args", "env", "cwd", "exit", "ToolError"}

func (u unit) parse() shim.Syntax {
	if u.dialect == toolscript.DialectHarness {
		return shim.Parse(u.code, u.javaScript(), append(slices.Clone(exported), "context"))
	}
	return shim.Parse(u.code, u.javaScript(), exported)
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
