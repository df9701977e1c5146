package shim

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// Function is the only statement of a script, apart from imports and types.
type Function struct {
	Name     string // "" for an expression, and where Exported is set
	Offset   int
	Variable bool // Name is a constant or a variable
	Exported bool // as default
	Callable bool // it needs no arguments
}

// entryNames are names under which scripts declare the function that does their work.
var entryNames = []string{"main", "run"}

// Unused is an expression at the end of a script that has no value of its own.
type Unused struct {
	Offset int
	Acts   bool // the expression may be there for what it does: it calls a function
}

// onlyFunction returns the function of which a script consists, or nil.
func (r *reader) onlyFunction() *Function {
	var only *ast.Node
	for _, s := range r.file.Statements.Nodes {
		switch {
		case ast.IsImportDeclaration(s), ast.IsInterfaceDeclaration(s), ast.IsTypeAliasDeclaration(s), ast.IsEmptyStatement(s):
		case only != nil:
			return nil
		default:
			only = s
		}
	}
	if only == nil {
		return nil
	}
	f := &Function{Offset: r.start(only)}
	code := only
	switch {
	case ast.IsFunctionDeclaration(only):
		f.Exported = ast.HasSyntacticModifier(only, ast.ModifierFlagsDefault)
		if ast.HasSyntacticModifier(only, ast.ModifierFlagsExport) && !f.Exported || only.Body() == nil {
			return nil
		}
		if name := only.Name(); name != nil && !f.Exported {
			f.Name = name.Text()
		}
	case ast.IsExportAssignment(only):
		f.Exported, code = true, only.Expression()
	case ast.IsExpressionStatement(only):
		code = only.Expression()
	case ast.IsVariableStatement(only) && !ast.HasSyntacticModifier(only, ast.ModifierFlagsExport):
		declared := only.AsVariableStatement().DeclarationList.AsVariableDeclarationList().Declarations.Nodes
		if len(declared) != 1 || !ast.IsIdentifier(declared[0].Name()) || declared[0].Initializer() == nil {
			return nil
		}
		f.Variable, f.Name, code = true, declared[0].Name().Text(), declared[0].Initializer()
	default:
		return nil
	}
	if code = ast.SkipParentheses(code); !ast.IsFunctionDeclaration(code) && !ast.IsFunctionExpression(code) && !ast.IsArrowFunction(code) {
		return nil
	}
	f.Callable = ast.GetFunctionFlags(code)&ast.FunctionFlagsGenerator == 0 && !slices.ContainsFunc(code.Parameters(), needed)
	return f
}

// needed reports whether a call must give a parameter.
func needed(p *ast.Node) bool {
	d := p.AsParameterDeclaration()
	return d.Initializer == nil && d.QuestionToken == nil && d.DotDotDotToken == nil
}

// entry notes a function that is named as the entry of a script.
func (r *reader) entry(n *ast.Node) {
	p := n.Parent
	if !slices.Contains(entryNames, n.Text()) || p.Name() != n {
		return
	}
	switch {
	case ast.IsFunctionDeclaration(p) && p.Parent == r.file.AsNode():
	case ast.IsVariableDeclaration(p) && p.Initializer() != nil && (ast.IsArrowFunction(p.Initializer()) || ast.IsFunctionExpression(p.Initializer())) &&
		p.Parent.Parent.Parent == r.file.AsNode():
	default:
		return
	}
	r.out.Uncalled = append(r.out.Uncalled, n.Text())
}

// lastExpression returns the expression at the end of a script whose value is lost, or nil.
func (r *reader) lastExpression() *Unused {
	statements := r.file.Statements.Nodes
	if len(statements) == 0 || !ast.IsExpressionStatement(statements[len(statements)-1]) {
		return nil
	}
	last := statements[len(statements)-1]
	e := ast.SkipParentheses(last.Expression())
	found := &Unused{Offset: r.start(last)}
	for ast.IsAwaitExpression(e) {
		e, found.Acts = ast.SkipParentheses(e.Expression()), true
	}
	switch e.Kind {
	case ast.KindCallExpression:
		found.Acts = true
		if r.effect(e) {
			return nil
		}
	case ast.KindBinaryExpression:
		if ast.IsAssignmentExpression(e, false) {
			return nil
		}
	case ast.KindIdentifier, ast.KindPropertyAccessExpression, ast.KindElementAccessExpression, ast.KindObjectLiteralExpression, ast.KindArrayLiteralExpression,
		ast.KindTemplateExpression, ast.KindConditionalExpression, ast.KindAsExpression, ast.KindNonNullExpression, ast.KindNumericLiteral:
	case ast.KindStringLiteral: // the only statement may be a directive
		if len(statements) == 1 {
			return nil
		}
	default:
		return nil
	}
	return found
}

// values are methods that are called for what they return.
var values = []string{
	"all", "allSettled", "any", "at", "concat", "entries", "filter", "find", "findLast", "flat", "flatMap", "from", "fromAsync", "fromEntries", "get",
	"join", "keys", "map", "parse", "race", "reduce", "replace", "slice", "split", "stringify", "toReversed", "toSorted", "toString", "trim", "values",
}

// effect reports whether a call is not known for its value: neither a tool nor a method that
// changes nothing.
func (r *reader) effect(call *ast.Node) bool {
	callee := ast.SkipParentheses(call.Expression())
	if ast.IsPropertyAccessExpression(callee) && slices.Contains(values, callee.Name().Text()) {
		return false
	}
	for ast.IsPropertyAccessExpression(callee) || ast.IsElementAccessExpression(callee) || ast.IsCallExpression(callee) || ast.IsNonNullExpression(callee) {
		callee = callee.Expression()
	}
	if !ast.IsIdentifier(callee) {
		return true
	}
	declared, found := r.binding(callee)
	return !(found && declared.tools || !found && callee.Text() == toolsName)
}

// entityNames are the names of HTML entities that code may have in the place of operators.
var entityNames = []string{"lt", "gt", "amp", "quot", "apos"}

// entity notes a name that the script does not declare and that is written as an entity.
func (r *reader) entity(n *ast.Node, declared bool) {
	text, at := r.file.Text(), r.start(n)
	if !declared && at > 0 && text[at-1] == '&' && n.End() < len(text) && text[n.End()] == ';' {
		r.out.Entities = append(r.out.Entities, at)
	}
}
