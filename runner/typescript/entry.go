package shim

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// Function is a function that is the only statement of a script, apart from imports and types.
type Function struct {
	Name     string // "" for an expression, and if Exported is set
	Offset   int
	Declared bool // it is a variable, or exported under Name
	Exported bool // it is the default export

	Parameters bool // it needs arguments
	Generator  bool
}

// entryNames lists the usual names of a function that does the work of a script.
var entryNames = []string{"main", "run"}

// Unused is the last expression of a script if its value is lost.
type Unused struct {
	Offset   int
	Acts     bool // the expression calls a function, so it may have side effects
	Function bool // it is a function
}

// onlyFunction returns the Function of a script that consists of one function, or nil.
func (r *reader) onlyFunction() *Function {
	var only *ast.Node
	for _, s := range r.file.Statements.Nodes {
		switch {
		case only == nil && ast.IsPrologueDirective(s):
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
		f.Declared = !f.Exported && ast.HasSyntacticModifier(only, ast.ModifierFlagsExport)
		if only.Body() == nil {
			return nil
		}
		if name := only.Name(); name != nil && !f.Exported {
			f.Name = name.Text()
		}
	case ast.IsExportAssignment(only):
		f.Exported, code = true, only.Expression()
	case ast.IsExpressionStatement(only):
		code = only.Expression()
	case ast.IsVariableStatement(only):
		declared := only.AsVariableStatement().DeclarationList.AsVariableDeclarationList().Declarations.Nodes
		if len(declared) != 1 || !ast.IsIdentifier(declared[0].Name()) || declared[0].Initializer() == nil {
			return nil
		}
		f.Declared, f.Name, code = true, declared[0].Name().Text(), declared[0].Initializer()
	default:
		return nil
	}
	if code = ast.SkipParentheses(code); !ast.IsFunctionDeclaration(code) && !ast.IsFunctionExpression(code) && !ast.IsArrowFunction(code) {
		return nil
	}
	f.Generator = ast.GetFunctionFlags(code)&ast.FunctionFlagsGenerator != 0
	f.Parameters = slices.ContainsFunc(code.Parameters(), needed)
	return f
}

// needed reports whether a parameter is required.
func needed(p *ast.Node) bool {
	d := p.AsParameterDeclaration()
	return d.Initializer == nil && d.QuestionToken == nil && d.DotDotDotToken == nil
}

// entry records a top-level function whose name is in entryNames.
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

// lastExpression returns the last expression of a script if its value is lost, or nil.
func (r *reader) lastExpression() *Unused {
	statements := r.file.Statements.Nodes
	if len(statements) == 0 || !ast.IsExpressionStatement(statements[len(statements)-1]) {
		return nil
	}
	last := statements[len(statements)-1]
	if len(statements) == 1 && ast.IsPrologueDirective(last) {
		return nil
	}
	found := &Unused{Offset: r.start(last)}
	l := lost{reader: r, found: found}
	if !l.value(last.Expression()) {
		return nil
	}
	return found
}

// lost determines whether the value of an expression is probably meant to be used.
type lost struct {
	*reader
	found *Unused
	depth int // nesting of functions
	steps int // number of calls of function
}

// value reports whether the value of an expression is probably meant to be used.
func (l *lost) value(e *ast.Node) bool {
	e = ast.SkipParentheses(e)
	for ast.IsAwaitExpression(e) {
		e, l.found.Acts = ast.SkipParentheses(e.Expression()), true
	}
	switch e.Kind {
	case ast.KindCallExpression:
		l.found.Acts = true
		return l.call(e)
	case ast.KindBinaryExpression:
		if ast.IsLogicalOrCoalescingBinaryExpression(e) || e.AsBinaryExpression().OperatorToken.Kind == ast.KindCommaToken {
			return l.value(e.AsBinaryExpression().Right)
		}
		return !ast.IsAssignmentExpression(e, false)
	case ast.KindConditionalExpression:
		return l.value(e.AsConditionalExpression().WhenTrue) || l.value(e.AsConditionalExpression().WhenFalse)
	case ast.KindArrowFunction, ast.KindFunctionExpression:
		l.found.Function = l.depth == 0
		return true
	case ast.KindIdentifier:
		return e.Text() != "undefined"
	case ast.KindPropertyAccessExpression, ast.KindElementAccessExpression, ast.KindObjectLiteralExpression, ast.KindArrayLiteralExpression,
		ast.KindTemplateExpression, ast.KindNoSubstitutionTemplateLiteral, ast.KindAsExpression, ast.KindNonNullExpression,
		ast.KindNumericLiteral, ast.KindStringLiteral, ast.KindTypeOfExpression:
		return true
	case ast.KindPrefixUnaryExpression:
		op := e.AsPrefixUnaryExpression().Operator
		return op != ast.KindPlusPlusToken && op != ast.KindMinusMinusToken
	case ast.KindTrueKeyword, ast.KindFalseKeyword, ast.KindNewExpression:
		return l.depth > 0
	}
	return false
}

// values lists methods that are called for their results.
var values = []string{
	"all", "allSettled", "any", "at", "concat", "entries", "filter", "find", "findLast", "flat", "flatMap", "from", "fromAsync", "fromEntries", "get",
	"join", "keys", "map", "parse", "race", "reduce", "replace", "slice", "split", "stringify", "toReversed", "toSorted", "toString", "trim", "values",
}

// call reports whether a call is probably made for its result: a call of a tool, of a method
// in values, or of a function of the script that returns a value.
func (l *lost) call(call *ast.Node) bool {
	callee := ast.SkipParentheses(call.Expression())
	if f := l.function(callee); f != nil {
		return l.returns(f)
	}
	if ast.IsPropertyAccessExpression(callee) {
		switch name := callee.Name().Text(); {
		case slices.Contains(values, name):
			return true
		case name == "catch" || name == "finally":
			return l.value(callee.Expression())
		case name == "then" && len(call.Arguments()) > 0:
			f := l.function(ast.SkipParentheses(call.Arguments()[0]))
			return f != nil && l.returns(f)
		}
	}
	for ast.IsPropertyAccessExpression(callee) || ast.IsElementAccessExpression(callee) || ast.IsCallExpression(callee) || ast.IsNonNullExpression(callee) {
		callee = callee.Expression()
	}
	if !ast.IsIdentifier(callee) {
		return false
	}
	declared, found := l.binding(callee)
	return found && declared.tools || !found && callee.Text() == toolsName
}

// function returns e if it is a function, or the top-level function that e names, or nil. It
// gives up after 100 calls, because each scans the statements.
func (l *lost) function(e *ast.Node) *ast.Node {
	if l.steps++; l.steps > 100 {
		return nil
	}
	if ast.IsFunctionExpressionOrArrowFunction(e) {
		return e
	}
	if !ast.IsIdentifier(e) {
		return nil
	}
	for _, s := range l.file.Statements.Nodes {
		switch {
		case ast.IsFunctionDeclaration(s) && s.Body() != nil && s.Name() != nil && s.Name().Text() == e.Text():
			return s
		case ast.IsVariableStatement(s):
			for _, d := range s.AsVariableStatement().DeclarationList.AsVariableDeclarationList().Declarations.Nodes {
				if d.Initializer() == nil || !ast.IsIdentifier(d.Name()) || d.Name().Text() != e.Text() {
					continue
				}
				if made := ast.SkipParentheses(d.Initializer()); ast.IsFunctionExpressionOrArrowFunction(made) {
					return made
				}
			}
		}
	}
	return nil
}

// returns reports whether a function returns a value.
func (l *lost) returns(f *ast.Node) bool {
	l.depth++
	defer func() { l.depth-- }()
	if !ast.IsBlock(f.Body()) {
		return l.value(f.Body())
	}
	return ast.GetFunctionFlags(f)&ast.FunctionFlagsGenerator != 0 || ast.ForEachReturnStatement(f.Body(), func(s *ast.Node) bool {
		return s.Expression() != nil && l.value(s.Expression())
	})
}

// entityNames lists the names of HTML entities that may replace operators and quotes in code.
var entityNames = []string{"lt", "gt", "amp", "quot", "apos"}

// entity records a name that is written as an HTML entity, unless the script declares it.
func (r *reader) entity(n *ast.Node, declared bool) {
	text, at := r.file.Text(), r.start(n)
	if !declared && at > 0 && text[at-1] == '&' && n.End() < len(text) && text[n.End()] == ';' {
		r.out.Entities = append(r.out.Entities, at)
	}
}
