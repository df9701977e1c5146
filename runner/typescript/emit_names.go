package shim

import (
	"cmp"
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/binder"
	"github.com/microsoft/typescript-go/internal/evaluator"
	"github.com/microsoft/typescript-go/internal/jsnum"
	"github.com/microsoft/typescript-go/internal/printer"
)

// names answers the questions of the emitter about names, from one text and without its types. The
// emitter calls no other methods of the interface for JavaScript.
type names struct {
	printer.EmitResolver
	file      *ast.SourceFile
	resolver  binder.ReferenceResolver
	used      map[*ast.Node]bool // imports whose value the text uses; nil before they are found
	constants map[*ast.Node]evaluator.Result
	evaluate  evaluator.Evaluator
}

func newNames(file *ast.SourceFile, resolver binder.ReferenceResolver) *names {
	n := &names{file: file, resolver: resolver, constants: map[*ast.Node]evaluator.Result{}}
	n.evaluate = evaluator.NewEvaluator(n.evaluateName, ast.OEKParentheses)
	return n
}

// MarkLinkedReferencesRecursively finds the imports that the text uses. It resolves a name until all its
// imports are known as used, because that takes longer in a deep tree.
func (n *names) MarkLinkedReferencesRecursively(*ast.SourceFile) {
	n.used = map[*ast.Node]bool{}
	open := map[string][]*ast.Node{}
	visitAll(n.file.AsNode(), func(at *ast.Node) {
		if isImport(at) && at.Name() != nil {
			open[at.Name().Text()] = append(open[at.Name().Text()], at)
		}
	})
	visitAll(n.file.AsNode(), func(at *ast.Node) {
		if at.Kind != ast.KindIdentifier || len(open[at.Text()]) == 0 || !refersToValue(at) {
			return
		}
		if found := n.resolver.GetReferencedImportDeclaration(at); found != nil {
			n.used[found] = true
			open[at.Text()] = slices.DeleteFunc(open[at.Text()], func(i *ast.Node) bool { return i == found })
		} else if d := n.resolver.GetReferencedValueDeclaration(at); d != nil && d.Flags&ast.NodeFlagsAmbient != 0 {
			for _, i := range open[at.Text()] { // declare says that there is such a value: the import has it
				n.used[i] = true
			}
			delete(open, at.Text())
		}
	})
}

// isImport reports whether a node declares a name that is imported.
func isImport(n *ast.Node) bool {
	switch n.Kind {
	case ast.KindImportClause, ast.KindNamespaceImport, ast.KindImportSpecifier, ast.KindImportEqualsDeclaration:
		return true
	}
	return false
}

// refersToValue reports whether an identifier is a reference to a value, and not a type, a
// declaration or the name of a member.
func refersToValue(n *ast.Node) bool {
	switch p := n.Parent; {
	case n.Flags&ast.NodeFlagsAmbient != 0:
		return false
	case ast.IsExportSpecifier(p):
		from := p.Parent.Parent
		return cmp.Or(p.PropertyName(), p.Name()) == n && !p.IsTypeOnly() && !from.IsTypeOnly() && from.ModuleSpecifier() == nil
	case ast.IsShorthandPropertyAssignment(p) && p.Name() == n, ast.IsExportAssignment(p), importsAlias(n):
		return true
	}
	return !ast.IsDeclarationName(n) && !ast.IsIdentifierName(n) && ast.IsExpressionNode(n) && !ast.IsPartOfTypeQuery(n)
}

// IsReferencedAliasDeclaration reports whether the text uses the value of an import, or exports it in
// export import A = B.C.
func (n *names) IsReferencedAliasDeclaration(node *ast.Node) bool {
	if n.used[node] || !ast.IsImportEqualsDeclaration(node) || !ast.HasSyntacticModifier(node, ast.ModifierFlagsExport) {
		return n.used[node]
	}
	name := node.AsImportEqualsDeclaration().ModuleReference
	first := name
	for ast.IsQualifiedName(first) {
		first = first.AsQualifiedName().Left
	}
	if !ast.IsIdentifier(first) || n.resolver.GetReferencedImportDeclaration(first) != nil {
		return true
	}
	s := n.symbol(name)
	return s != nil && s.Flags&ast.SymbolFlagsValue != 0
}

// IsTopLevelValueImportEqualsWithEntityName is only asked for scripts that are no modules.
func (n *names) IsTopLevelValueImportEqualsWithEntityName(*ast.Node) bool { return false }

// IsValueAliasDeclaration reports whether an export can be a value: only names of types of the same
// text are not.
func (n *names) IsValueAliasDeclaration(node *ast.Node) bool {
	name := node
	switch node.Kind {
	case ast.KindExportSpecifier:
		if node.Parent.Parent.ModuleSpecifier() != nil {
			return true
		}
		name = cmp.Or(node.PropertyName(), node.Name())
	case ast.KindExportAssignment:
		name = node.Expression()
	}
	if name.Kind != ast.KindIdentifier {
		return true
	}
	if !declaresType(n.file, name.Text()) {
		return true
	}
	imported := n.resolver.GetReferencedImportDeclaration(name) // nil for import type; may be the export itself
	return n.resolver.GetReferencedValueDeclaration(name) != nil || imported != nil && isImport(imported)
}

// declaresType reports whether the top level of a text declares or imports a name as a type. The name may
// be a value as well.
func declaresType(file *ast.SourceFile, name string) bool {
	typed := func(n *ast.Node) bool {
		return n != nil && n.Name() != nil && n.Name().Text() == name
	}
	for _, s := range file.Statements.Nodes {
		switch {
		case (ast.IsInterfaceDeclaration(s) || ast.IsTypeAliasDeclaration(s)) && typed(s):
			return true
		case ast.IsImportDeclaration(s) && s.ImportClause() != nil:
			clause := s.ImportClause()
			if clause.IsTypeOnly() && typed(clause) {
				return true
			}
			bindings := clause.AsImportClause().NamedBindings
			switch {
			case bindings == nil:
			case !ast.IsNamedImports(bindings):
				if clause.IsTypeOnly() && typed(bindings) {
					return true
				}
			case slices.ContainsFunc(bindings.Elements(), func(e *ast.Node) bool { return (clause.IsTypeOnly() || e.IsTypeOnly()) && typed(e) }):
				return true
			}
		}
	}
	return false
}

// GetEnumMemberValue returns the constant value of a member of an enum. It may name constants and members
// of all enums before it.
func (n *names) GetEnumMemberValue(member *ast.Node) evaluator.Result {
	if r, known := n.constants[member]; known {
		return r
	}
	next := jsnum.Number(0)
	counts := true
	for _, m := range member.Parent.Members() {
		var r evaluator.Result
		switch {
		case m.Initializer() != nil:
			r = n.evaluate(m.Initializer(), m)
		case counts:
			r = evaluator.NewResult(next, false, false, false)
		}
		n.constants[m] = r
		last, number := r.Value.(jsnum.Number)
		next, counts = last+1, number
	}
	return n.constants[member]
}

// evaluateName returns the value of a name in the initializer of a declaration: that of a member of an
// enum, or of a constant without a type.
func (n *names) evaluateName(e, location *ast.Node) evaluator.Result {
	s := n.symbol(e)
	if s == nil {
		if ast.IsIdentifier(e) && (e.Text() == "Infinity" || e.Text() == "NaN") {
			return evaluator.NewResult(jsnum.FromString(e.Text()), false, false, false)
		}
		return evaluator.Result{}
	}
	d := s.ValueDeclaration
	if d == nil || d.Pos() >= location.Pos() || d.Flags&ast.NodeFlagsAmbient != 0 {
		return evaluator.Result{}
	}
	if r, known := n.constants[d]; known {
		return r
	}
	switch {
	case ast.IsEnumMember(d):
		if d.Parent != location.Parent {
			return n.GetEnumMemberValue(d)
		}
	case ast.IsVariableDeclaration(d) && ast.IsVarConst(d) && d.Type() == nil && d.Initializer() != nil:
		n.constants[d] = n.evaluate(d.Initializer(), d)
	}
	return n.constants[d]
}

// symbol returns the symbol of a value of the text that a name such as a, a.b or a["b"] refers to, or nil.
func (n *names) symbol(e *ast.Node) *ast.Symbol {
	var left, right *ast.Node
	switch {
	case ast.IsIdentifier(e):
		if d := n.resolver.GetReferencedValueDeclaration(e); d != nil {
			return d.Symbol()
		}
		return nil
	case ast.IsQualifiedName(e):
		left, right = e.AsQualifiedName().Left, e.AsQualifiedName().Right
	case ast.IsPropertyAccessExpression(e):
		left, right = e.Expression(), e.Name()
	case ast.IsElementAccessExpression(e) && ast.IsStringLiteralLike(e.AsElementAccessExpression().ArgumentExpression):
		left, right = e.Expression(), e.AsElementAccessExpression().ArgumentExpression
	default:
		return nil
	}
	if s := n.symbol(left); s != nil && s.Flags&(ast.SymbolFlagsEnum|ast.SymbolFlagsModule) != 0 {
		return s.Exports[right.Text()]
	}
	return nil
}
