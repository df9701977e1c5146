package shim

import (
	"cmp"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/parser"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// Syntax is the information from a script's syntax tree that the compilation needs. Offsets
// are in bytes.
type Syntax struct {
	Broken     bool     // the text does not parse; all other fields are incomplete
	Imports    []Import // imports of all modules, in order, including imports of types
	References []int    // offsets of reference comments
	Returns    bool     // a return statement is at the top level
	ReturnAt   int      // offset of the first of them
	Deferred   []int    // offsets of import.defer and import defer
	Decorated  []int    // offsets of classes with decorators and an await that no function contains
	CommonJS   []int    // offsets of module and exports, as in module.exports = a, and of export = a

	ImportsEnd int         // offset after the leading imports, where further imports can be inserted
	HeadEnd    int         // offset after the leading imports and the last namespace
	Misplaced  []Misplaced // statements that are not allowed in a function

	Free []string // exports of the module that the script uses and does not declare
	Uses Uses     // servers that the script refers to

	Entities []int // offsets of names that are HTML entities, such as lt in a &lt; b

	Function *Function // set if the script consists of one function
	Uncalled []string  // functions with a name in entryNames to which nothing refers
	Unused   *Unused   // last expression, if its value is lost

	Tools  []string // members of tools that the script names, such as "github.createIssue", sorted
	Banned []Banned // in the order of the text
}

// Import is an import of a module.
type Import struct {
	Module  string
	Offset  int
	Require bool
	With    bool // it has attributes, such as with { type: "json" }
}

// Misplaced is an export, or an import after the leading imports.
type Misplaced struct {
	Offset int
	Export bool
}

// Parse parses a script. exported lists the values that the module "toolscript" exports.
func Parse(text string, javaScript bool, exported []string) Syntax {
	file := parse(text, javaScript)
	r := reader{file: file, exported: exported, names: map[string]bool{}, scopes: map[string][]binding{}}
	for _, name := range slices.Concat(exported, bannedNames, entryNames, entityNames, commonNames) {
		r.names[name] = true
	}
	r.out.Broken = len(file.Diagnostics()) > 0
	for _, references := range [][]*ast.FileReference{file.ReferencedFiles, file.TypeReferenceDirectives, file.LibReferenceDirectives} {
		for _, ref := range references {
			r.out.References = append(r.out.References, strings.LastIndex(text[:ref.Pos()], "///"))
		}
	}
	r.statements()
	visitAll(file.AsNode(), r.visit)
	r.resolve()
	r.out.Function, r.out.Unused = r.onlyFunction(), r.lastExpression()
	slices.Sort(r.out.References)
	slices.Sort(r.out.CommonJS)
	slices.Sort(r.out.Deferred)
	slices.Sort(r.out.Decorated)
	slices.SortFunc(r.out.Imports, func(a, b Import) int { return cmp.Compare(a.Offset, b.Offset) })
	slices.SortFunc(r.out.Banned, func(a, b Banned) int { return cmp.Compare(a.Offset, b.Offset) })
	return r.out
}

// parse parses one text, which is a module even without imports and exports.
func parse(text string, javaScript bool) *ast.SourceFile {
	kind := core.ScriptKindTS
	if javaScript {
		kind = core.ScriptKindJS
	}
	options := ast.SourceFileParseOptions{
		FileName: mainFile, Path: mainFile, ExternalModuleIndicatorOptions: ast.ExternalModuleIndicatorOptions{Force: true},
	}
	file := parser.ParseSourceFile(options, text, kind)
	restore(file, func(text string) []*ast.Diagnostic { return parser.ParseSourceFile(options, text, kind).Diagnostics() })
	return file
}

// statementWords begin statements that are no expressions.
var statementWords = []ast.Kind{
	ast.KindBreakKeyword, ast.KindConstKeyword, ast.KindContinueKeyword, ast.KindDebuggerKeyword, ast.KindDoKeyword, ast.KindEnumKeyword,
	ast.KindExportKeyword, ast.KindForKeyword, ast.KindIfKeyword, ast.KindReturnKeyword, ast.KindSwitchKeyword, ast.KindThrowKeyword,
	ast.KindTryKeyword, ast.KindVarKeyword, ast.KindWhileKeyword,
}

// restore adds errors that the parser has lost: it reads some statements with await again, and loses the errors at the
// end of the statement before, as in (1 await (x), and those of text between statements, as in ) await (x).
func restore(file *ast.SourceFile, errors func(text string) []*ast.Diagnostic) {
	text, known := file.Text(), map[int]bool{} // offsets of errors
	for _, d := range file.Diagnostics() {
		known[d.Pos()] = true
	}
	whole := len(known) == 0
	add := func(offset int, part string, first, last int) {
		for _, d := range errors(part) {
			d.SetLocation(core.NewTextRange(offset+d.Pos(), offset+d.End()))
			if d.Pos() >= first && d.Pos() <= last && !known[d.Pos()] {
				known[d.Pos()] = true
				d.SetFile(file)
				file.SetDiagnostics(append(file.Diagnostics(), d))
			}
		}
	}
	var from, end int // start and end of the last statement
	awaits := true    // whether it has been read again
	for _, s := range append(slices.Clip(file.Statements.Nodes), file.EndOfFileToken) {
		if s.Flags&ast.NodeFlagsReparsed != 0 { // it is in a comment
			continue
		}
		if whole && s.Pos() > end {
			add(end, text[end:s.Pos()], end, s.Pos())
		}
		before := awaits
		if awaits = s.Flags&ast.NodeFlagsAwaitContext != 0; awaits && !before {
			next := scanner.GetTokenPosOfNode(s, file, false)
			first := "z" // another name in place of await
			if slices.Contains(statementWords, scanner.ScanTokenAtPosition(file, next)) {
				first = "if" // like all of them, it begins no expression
			}
			add(from, text[from:next]+first, s.Pos(), next)
		}
		from, end = s.Pos(), s.End()
	}
}

// reader collects the syntax of one script.
type reader struct {
	file     *ast.SourceFile
	exported []string
	out      Syntax

	names      map[string]bool      // names to look up: exports, and local names of tools
	scopes     map[string][]binding // declarations of names
	references []*ast.Node          // identifiers that refer to a value of names
}

// binding is the declaration of a name.
type binding struct {
	scope *ast.Node
	tools bool // an import of tools
}

// statements reads the statements at the top level.
func (r *reader) statements() {
	leading := true
	if s := r.file.Statements.Nodes; len(s) > 0 { // after comments: @ts-nocheck counts before the first statement
		r.out.ImportsEnd = r.start(s[0])
	}
	r.out.HeadEnd = r.out.ImportsEnd
	for _, s := range r.file.Statements.Nodes {
		switch {
		case ast.IsImportDeclaration(s):
			r.bind(s)
			if leading {
				r.out.ImportsEnd, r.out.HeadEnd = s.End(), s.End()
			} else {
				r.out.Misplaced = append(r.out.Misplaced, Misplaced{Offset: r.start(s)})
			}
			continue
		case ast.IsExportDeclaration(s), ast.IsExportAssignment(s), ast.HasSyntacticModifier(s, ast.ModifierFlagsExport):
			r.out.Misplaced = append(r.out.Misplaced, Misplaced{Offset: r.start(s), Export: true})
		case ast.IsImportEqualsDeclaration(s):
			r.out.Misplaced = append(r.out.Misplaced, Misplaced{Offset: r.start(s)})
		case ast.IsModuleDeclaration(s):
			r.out.HeadEnd = s.End()
		}
		leading = false
	}
}

// bind declares the names of an import. If a name may be a type of a server, all servers
// count as used.
func (r *reader) bind(s *ast.Node) {
	clause := s.ImportClause()
	if clause == nil {
		return
	}
	if clause.Name() != nil {
		r.declare(clause.Name(), r.file.AsNode(), false)
		r.useAll(s)
	}
	bindings := clause.AsImportClause().NamedBindings
	if bindings == nil {
		return
	}
	if !ast.IsNamedImports(bindings) {
		r.declare(bindings.Name(), r.file.AsNode(), false)
		r.useAll(s)
		return
	}
	for _, specifier := range bindings.Elements() {
		imported := cmp.Or(specifier.PropertyName(), specifier.Name()).Text()
		r.declare(specifier.Name(), r.file.AsNode(), imported == toolsName)
		if !slices.Contains(r.exported, imported) {
			r.useAll(s)
		}
	}
}

// useAll records that all servers may be used, if an import names the module "toolscript".
func (r *reader) useAll(n *ast.Node) {
	if name := ast.GetExternalModuleName(n); name != nil && ast.IsStringLiteralLike(name) && name.Text() == "toolscript" {
		r.out.Uses.All = true
	}
}

func (r *reader) declare(name, scope *ast.Node, isTools bool) {
	if isTools {
		r.names[name.Text()] = true
	}
	r.scopes[name.Text()] = append(r.scopes[name.Text()], binding{scope, isTools})
}

// start returns the offset of a node without the comments before it.
func (r *reader) start(n *ast.Node) int { return scanner.GetTokenPosOfNode(n, r.file, false) }

// visitAll calls visit for a node and all nodes below it. It does not recurse, because a long chain
// such as a.b.c is a deep tree.
func visitAll(n *ast.Node, visit func(*ast.Node)) {
	open := []*ast.Node{n}
	push := func(n *ast.Node) bool {
		open = append(open, n)
		return false
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		visit(n)
		n.ForEachChild(push)
	}
}

func (r *reader) visit(n *ast.Node) {
	r.banImport(n)
	switch n.Kind {
	case ast.KindIdentifier:
		if r.names[n.Text()] {
			r.identifier(n)
		}
	case ast.KindReturnStatement:
		if ast.FindAncestor(n.Parent, ast.IsFunctionLikeOrClassStaticBlockDeclaration) == nil {
			if at := r.start(n); !r.out.Returns || at < r.out.ReturnAt {
				r.out.Returns, r.out.ReturnAt = true, at
			}
		}
	case ast.KindClassDeclaration, ast.KindClassExpression:
		if n.SubtreeFacts()&ast.SubtreeContainsAwait != 0 && (ast.HasDecorators(n) || slices.ContainsFunc(n.Members(), ast.HasDecorators)) {
			r.out.Decorated = append(r.out.Decorated, r.start(n))
		}
	case ast.KindMetaProperty:
		if n.AsMetaProperty().KeywordToken == ast.KindImportKeyword && n.Name().Text() != "meta" {
			r.out.Deferred = append(r.out.Deferred, r.start(n))
		}
	case ast.KindImportClause:
		if n.AsImportClause().PhaseModifier == ast.KindDeferKeyword {
			r.out.Deferred = append(r.out.Deferred, r.start(n))
		}
	case ast.KindExportAssignment:
		if n.AsExportAssignment().IsExportEquals {
			r.out.CommonJS = append(r.out.CommonJS, r.start(n))
		}
	case ast.KindImportDeclaration:
		r.module(n.ModuleSpecifier(), Import{With: n.AsImportDeclaration().Attributes != nil})
	case ast.KindExportDeclaration:
		r.module(n.ModuleSpecifier(), Import{With: n.AsExportDeclaration().Attributes != nil})
		if n.ModuleSpecifier() != nil {
			r.useAll(n)
		}
	case ast.KindExternalModuleReference:
		r.module(n.Expression(), Import{Require: true})
	case ast.KindImportType:
		if ast.IsLiteralImportTypeNode(n) {
			r.module(n.AsImportTypeNode().Argument.AsLiteralTypeNode().Literal, Import{})
			r.useAll(n)
		}
	case ast.KindCallExpression:
		called := n.Expression()
		if isRequire := ast.IsIdentifier(called) && called.Text() == "require"; len(n.Arguments()) > 0 && (isRequire || ast.IsImportCall(n)) {
			r.module(n.Arguments()[0], Import{Require: isRequire, With: len(n.Arguments()) > 1})
			r.useAll(n)
		}
	}
}

func (r *reader) module(name *ast.Node, found Import) {
	if name != nil && ast.IsStringLiteralLike(name) {
		found.Module, found.Offset = name.Text(), r.start(name)
		r.out.Imports = append(r.out.Imports, found)
	}
}

// identifier records a reference to a value, or the declaration of a value.
func (r *reader) identifier(n *ast.Node) {
	switch p := n.Parent; {
	case ast.IsExportSpecifier(p):
		local := cmp.Or(p.PropertyName(), p.Name())
		if local == n && p.Parent.Parent.ModuleSpecifier() == nil {
			r.references = append(r.references, n)
		}
	case ast.IsShorthandPropertyAssignment(p) && p.Name() == n, ast.IsExportAssignment(p), importsAlias(n):
		r.references = append(r.references, n)
	case ast.IsDeclarationName(n):
		r.entry(n)
		if scope := scopeOf(p); scope != nil && p.Flags&ast.NodeFlagsAmbient == 0 {
			r.declare(n, scope, false)
		}
	case !ast.IsIdentifierName(n) && ast.IsExpressionNode(n):
		r.references = append(r.references, n)
	}
}

// importsAlias reports whether a node is the name a in import x = a.b.
func importsAlias(n *ast.Node) bool {
	for ast.IsQualifiedName(n.Parent) && n.Parent.AsQualifiedName().Left == n {
		n = n.Parent
	}
	return ast.IsImportEqualsDeclaration(n.Parent) && n.Parent.Name() != n
}

// scopeOf returns the node in which a declared value is visible, or nil for declarations
// without a value. bind handles imports.
func scopeOf(declaration *ast.Node) *ast.Node {
	switch declaration.Kind {
	case ast.KindParameter:
		return declaration.Parent
	case ast.KindBindingElement, ast.KindVariableDeclaration:
		root := ast.GetRootDeclaration(declaration)
		switch {
		case ast.IsParameterDeclaration(root):
			return root.Parent
		case ast.IsBlockOrCatchScoped(root):
			return ast.GetEnclosingBlockScopeContainer(root)
		}
		return ast.FindAncestor(root.Parent, func(n *ast.Node) bool {
			return ast.IsFunctionLikeOrClassStaticBlockDeclaration(n) || ast.IsSourceFile(n) || ast.IsModuleDeclaration(n)
		})
	case ast.KindFunctionExpression, ast.KindClassExpression:
		return declaration
	case ast.KindEnumMember:
		return declaration.Parent
	case ast.KindFunctionDeclaration, ast.KindClassDeclaration, ast.KindEnumDeclaration, ast.KindModuleDeclaration, ast.KindImportEqualsDeclaration:
		return ast.GetEnclosingBlockScopeContainer(declaration)
	}
	return nil
}

// commonNames lists the variables of CommonJS, which no engine has.
var commonNames = []string{"module", "exports"}

// resolve determines which references are free, and which servers are used.
func (r *reader) resolve() {
	servers := map[string]bool{}
	for _, n := range r.references {
		declared, found := r.binding(n)
		if slices.Contains(bannedNames, n.Text()) {
			r.banName(n, found)
			continue
		}
		if slices.Contains(entityNames, n.Text()) {
			r.entity(n, found)
			continue
		}
		if slices.Contains(commonNames, n.Text()) {
			if !found && ast.IsPropertyAccessExpression(n.Parent) {
				r.out.CommonJS = append(r.out.CommonJS, r.start(n))
			}
			continue
		}
		if slices.Contains(entryNames, n.Text()) && !slices.Contains(r.exported, n.Text()) {
			r.out.Uncalled = slices.DeleteFunc(r.out.Uncalled, func(name string) bool { return name == n.Text() })
			continue
		}
		if !found && !slices.Contains(r.out.Free, n.Text()) {
			r.out.Free = append(r.out.Free, n.Text())
		}
		if found && !declared.tools || !found && n.Text() != toolsName {
			continue
		}
		r.tool(n)
		names, certain := serversAt(n)
		for _, name := range names {
			certain = certain && (name == scriptsName || !strings.HasPrefix(name, "$")) // $search can return any tool
			servers[name] = true
		}
		r.out.Uses.All = r.out.Uses.All || !certain
	}
	slices.SortFunc(r.out.Free, func(a, b string) int {
		return cmp.Compare(slices.Index(r.exported, a), slices.Index(r.exported, b))
	})
	if r.out.Uses.All {
		return
	}
	for name := range servers {
		r.out.Uses.Servers = append(r.out.Uses.Servers, name)
	}
	slices.Sort(r.out.Uses.Servers)
}

// binding returns the innermost declaration that is visible to a reference.
func (r *reader) binding(n *ast.Node) (b binding, found bool) {
	for _, d := range r.scopes[n.Text()] {
		inside := d.scope.Pos() <= n.Pos() && n.End() <= d.scope.End()
		if inside && (!found || d.scope.Pos() >= b.scope.Pos() && d.scope.End() <= b.scope.End()) {
			b, found = d, true
		}
	}
	return b, found
}
