package shim

import (
	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/printer"
	"github.com/microsoft/typescript-go/internal/transformers"
)

// attributes removes the attributes of imports, such as with { type: "text" }: Deno would give a script the
// text of a module.
type attributes struct {
	transformers.Transformer
}

func newAttributes(emit *printer.EmitContext) *transformers.Transformer {
	a := &attributes{}
	return a.NewTransformer(a.visit, emit)
}

func (a *attributes) visit(n *ast.Node) *ast.Node {
	switch f := a.Factory(); {
	case ast.IsImportDeclaration(n):
		i := n.AsImportDeclaration()
		return f.UpdateImportDeclaration(i, i.Modifiers(), i.ImportClause, i.ModuleSpecifier, nil)
	case ast.IsExportDeclaration(n):
		e := n.AsExportDeclaration()
		return f.UpdateExportDeclaration(e, e.Modifiers(), e.IsTypeOnly, e.ExportClause, e.ModuleSpecifier, nil)
	case n.SubtreeFacts()&ast.SubtreeContainsDynamicImport == 0 && !ast.IsSourceFile(n):
		return n
	}
	n = a.Visitor().VisitEachChild(n)
	if !ast.IsImportCall(n) || len(n.Arguments()) < 2 {
		return n
	}
	c := n.AsCallExpression()
	only := a.Factory().NewNodeList(n.Arguments()[:1])
	return a.Factory().UpdateCallExpression(c, c.Expression, c.QuestionDotToken, c.TypeArguments, only, c.Flags)
}
