package shim

import "github.com/microsoft/typescript-go/internal/ast"

const (
	toolsName   = "tools"
	scriptsName = "$scripts" // the server of saved scripts, whose runs wait for the servers that they use
	spawnName   = "spawn"    // the member of tools that starts tasks; it has the servers as members
	withName    = "$with"    // the method of tools that returns the servers, for calls with options
)

// Uses lists the servers that a script refers to.
type Uses struct {
	All     bool     // the script can refer to any server
	Servers []string // identifiers of members of tools, sorted
}

// serversAt returns the servers that a reference to tools names. certain is true if these are all:
// for tools.name, tools["name"] and a declaration that destructures tools, and in the same way for
// members of tools.spawn and tools.$with(…).
func serversAt(n *ast.Node) (servers []string, certain bool) {
	n = withServers(n)
	if name, of, found := member(n); found && name == spawnName {
		n = of
	}
	if name, _, found := member(n); found {
		return []string{name}, true
	}
	return destructured(outer(n))
}

// withServers returns the call n.$with(…) if the reference n to tools is part of one, and
// otherwise n.
func withServers(n *ast.Node) *ast.Node {
	name, of, found := member(n)
	if !found || name != withName {
		return n
	}
	callee := outer(of)
	if p := callee.Parent; ast.IsCallExpression(p) && p.Expression() == callee {
		return p
	}
	return n
}

// member returns the name of the member that is read from n, and the node of the member
// access.
func member(n *ast.Node) (name string, of *ast.Node, found bool) {
	n = outer(n)
	p := n.Parent
	switch {
	case ast.IsPropertyAccessExpression(p) && p.Expression() == n && ast.IsIdentifier(p.Name()):
		return p.Name().Text(), p, true
	case ast.IsElementAccessExpression(p) && p.Expression() == n && ast.IsStringLiteralLike(p.AsElementAccessExpression().ArgumentExpression):
		return p.AsElementAccessExpression().ArgumentExpression.Text(), p, true
	case ast.IsQualifiedName(p) && p.AsQualifiedName().Left == n:
		return p.AsQualifiedName().Right.Text(), p, true
	}
	return "", n, false
}

// outer returns the largest expression with the value of n, such as (n)!.
func outer(n *ast.Node) *ast.Node {
	for ast.IsParenthesizedExpression(n.Parent) || ast.IsNonNullExpression(n.Parent) {
		n = n.Parent
	}
	return n
}

// destructured returns the keys of a declaration such as const { a, b: c } = n.
func destructured(n *ast.Node) (keys []string, certain bool) {
	p := n.Parent
	if !ast.IsVariableDeclaration(p) || p.Initializer() != n || !ast.IsObjectBindingPattern(p.Name()) {
		return nil, false
	}
	for _, element := range p.Name().Elements() {
		key := element.PropertyName()
		if key == nil {
			key = element.Name()
		}
		if element.AsBindingElement().DotDotDotToken != nil || !ast.IsIdentifier(key) && !ast.IsStringLiteral(key) || key.Text() == spawnName {
			return nil, false
		}
		keys = append(keys, key.Text())
	}
	return keys, true
}
