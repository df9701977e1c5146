// Package outline tells what the TypeScript parser takes for code in a text, for
// tests of what writes TypeScript. The program does not contain it. Its import
// path lies where Go lets it import the parser.
package outline

import (
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/parser"
)

// Outline is a syntax tree by what is in it. Comments are in none.
type Outline struct {
	Errors     []string // of the syntax
	Statements []string // kind and name of each at the top, in order
	Words      []string // identifiers, in order
	Strings    []string // what string literals mean, in order
	Others     []string // text of numbers, templates and regular expressions, in order
}

// Of parses TypeScript.
func Of(text string) Outline {
	file := parser.ParseSourceFile(ast.SourceFileParseOptions{FileName: "/outline.ts", Path: "/outline.ts"}, text, core.ScriptKindTS)
	var o Outline
	for _, d := range file.Diagnostics() {
		o.Errors = append(o.Errors, d.String())
	}
	for _, statement := range file.Statements.Nodes {
		o.Statements = append(o.Statements, strings.TrimSpace(statement.Kind.String()+" "+nameOf(statement)))
	}
	file.AsNode().ForEachChild(o.visit)
	return o
}

// visit enters a node and all in it.
func (o *Outline) visit(n *ast.Node) bool {
	switch n.Kind {
	case ast.KindIdentifier, ast.KindPrivateIdentifier:
		o.Words = append(o.Words, n.Text())
	case ast.KindStringLiteral:
		o.Strings = append(o.Strings, n.Text())
	case ast.KindNumericLiteral, ast.KindBigIntLiteral, ast.KindRegularExpressionLiteral, ast.KindJsxText, ast.KindNoSubstitutionTemplateLiteral,
		ast.KindTemplateHead, ast.KindTemplateMiddle, ast.KindTemplateTail:
		o.Others = append(o.Others, n.Text())
	}
	return n.ForEachChild(o.visit)
}

// nameOf is what a declaration declares.
func nameOf(n *ast.Node) string {
	if name := n.Name(); name != nil {
		return name.Text()
	}
	return ""
}
