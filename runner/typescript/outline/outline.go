// Package outline lists the parts of a TypeScript text as the parser sees them, for tests of
// generated TypeScript. It is not part of the program. Go only allows import paths like this
// one to import the parser.
package outline

import (
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/parser"
)

// Outline contains the parts of a syntax tree, without comments.
type Outline struct {
	Errors     []string // syntax errors
	Statements []string // kind and name of each top-level statement, in order
	Words      []string // identifiers, in order
	Strings    []string // values of string literals, in order
	Others     []string // text of numbers, templates and regular expressions, in order
}

// Of returns the Outline of a TypeScript text.
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

// visit adds a node and its children.
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

// nameOf returns the name that a declaration declares.
func nameOf(n *ast.Node) string {
	if name := n.Name(); name != nil {
		return name.Text()
	}
	return ""
}
