package shim

import (
	"strconv"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/printer"
)

// writer is the writer of the compiler, but the column of a token costs no second look at its line: a
// script may have a line of 100 KB.
type writer struct {
	printer.EmitTextWriter
	line   int
	seen   int              // bytes of the text that column counts or that are in lines before
	column core.UTF16Offset // at seen, in line
}

// GetColumn returns the current column from 0, in UTF-16 units.
func (w *writer) GetColumn() core.UTF16Offset {
	if w.IsAtStartOfLine() {
		return w.EmitTextWriter.GetColumn()
	}
	text := w.String()
	if line := w.GetLine(); line != w.line {
		w.line, w.column = line, 0
		w.seen += lineStart(text[w.seen:])
	}
	w.column += core.UTF16Len(text[w.seen:])
	w.seen = len(text)
	return w.column
}

// lineStart returns the offset of the last line of text.
func lineStart(text string) int {
	start := 0
	for _, end := range []string{"\n", "\r", "\u2028", "\u2029"} {
		if at := strings.LastIndex(text, end); at >= 0 {
			start = max(start, at+len(end))
		}
	}
	return start
}

// finish prepares the tree for the printer. It removes the parents of the identifiers: for each of them,
// the printer would climb to the root of the tree, which takes minutes for an expression of some 10,000
// parts. It restores the parentheses around assertions of types, and writes some for <T>x: without them,
// -(-x as number) would be --x. It gives a hundred generated names a prefix of their own, because the printer
// tries all numbers after a prefix for each name.
func finish(file *ast.SourceFile, emit *printer.EmitContext) {
	seen, generated := map[*ast.Node]bool{}, map[string]int{} // names, which several nodes share; their number by prefix
	visitAll(file.AsNode(), func(n *ast.Node) {
		switch n.Kind {
		case ast.KindIdentifier:
			n.Parent = nil
			if prefix := n.Text(); prefix != "" && !seen[n] && emit.HasAutoGenerateInfo(n) {
				seen[n] = true
				if group := generated[prefix] / 100; group > 0 {
					n.AsIdentifier().Text += "_" + strconv.Itoa(group)
				}
				generated[prefix]++
			}
		case ast.KindPartiallyEmittedExpression:
			if o := emit.Original(n); o != nil && (ast.IsParenthesizedExpression(o) || o.Kind == ast.KindTypeAssertionExpression) {
				partial := n.AsPartiallyEmittedExpression()
				partial.Expression = emit.Factory.NewParenthesizedExpression(partial.Expression)
			}
		}
	})
}
