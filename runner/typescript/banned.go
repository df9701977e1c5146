package shim

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// Banned is a construct that scripts in a model's answer must not have. script.Compile only
// refuses it in such scripts.
type Banned struct {
	Name   string // require, import, eval, new Function
	Offset int
}

// bannedNames lists the global names that are such constructs.
var bannedNames = []string{"require", "eval", "Function"}

// banName records a reference to one of bannedNames, unless the script declares the name.
// Function is only banned if it is called.
func (r *reader) banName(n *ast.Node, declared bool) {
	name := n.Text()
	if name == "Function" {
		n, name = outer(n), "new Function"
		p := n.Parent
		if !ast.IsNewExpression(p) && !ast.IsCallExpression(p) || p.Expression() != n {
			return
		}
	}
	if !declared {
		r.ban(name, n)
	}
}

// banImport records imports of all kinds.
func (r *reader) banImport(n *ast.Node) {
	switch {
	case ast.IsImportDeclaration(n), ast.IsImportEqualsDeclaration(n), n.Kind == ast.KindImportType, ast.IsImportCall(n),
		n.Kind == ast.KindMetaProperty && n.AsMetaProperty().KeywordToken == ast.KindImportKeyword,
		ast.IsExportDeclaration(n) && n.ModuleSpecifier() != nil:
		r.ban("import", n)
	}
}

func (r *reader) ban(name string, n *ast.Node) {
	r.out.Banned = append(r.out.Banned, Banned{name, r.start(n)})
}

// tool records the members after a reference to tools or after tools.$with(…), at most three,
// as in tools.agents.llm.chat.
func (r *reader) tool(n *ast.Node) {
	var path string
	n = withServers(n)
	for range 3 {
		name, of, found := member(n)
		if found && path == "" && name == spawnName {
			name, of, found = member(of)
			if text, byName := literalArgument(of); found && byName && name == "exec" { // tools.spawn.exec("readFile", {})
				path = text
				break
			}
		}
		if !found {
			break
		}
		if path != "" {
			path += "."
		}
		path += name
		n = of
		if p := outer(n).Parent; ast.IsCallExpression(p) && p.Expression() == outer(n) {
			break
		}
	}
	if at, found := slices.BinarySearch(r.out.Tools, path); path != "" && !found {
		r.out.Tools = slices.Insert(r.out.Tools, at, path)
	}
}

// literalArgument returns the first argument of the call of an expression if it is a string
// literal.
func literalArgument(callee *ast.Node) (text string, is bool) {
	n := outer(callee)
	p := n.Parent
	if !ast.IsCallExpression(p) || p.Expression() != n || len(p.Arguments()) == 0 || !ast.IsStringLiteralLike(p.Arguments()[0]) {
		return "", false
	}
	return p.Arguments()[0].Text(), true
}
