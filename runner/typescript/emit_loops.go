package shim

import (
	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/printer"
	"github.com/microsoft/typescript-go/internal/transformers"
)

// loops changes for await loops: QuickJS does not wait for the finally block of an async generator if
// the body of the loop throws. It writes
//
//	{ const values = __closing(EXPRESSION); try { for await (… of values) … } finally { await values.closed() } }
type loops struct {
	transformers.Transformer
	closing *printer.EmitHelper
	name    string    // of the function closing: __closing, with more _ if the text has that name
	values  *ast.Node // the name of the constant of all loops: the compiler looks for a free one; nil before the first
}

func newLoops(emit *printer.EmitContext, file *ast.SourceFile) *transformers.Transformer {
	l := &loops{name: "__closing"}
	for _, used := file.Identifiers[l.name]; used; _, used = file.Identifiers[l.name] {
		l.name += "_"
	}
	l.closing = &printer.EmitHelper{Name: "toolscript:closing", Text: "var " + l.name + closing}
	return l.NewTransformer(l.visit, emit)
}

// closing is the function __closing of the emitted text, after its name. It returns the same values as an object,
// whose closed waits for the end of the generator if the loop has ended it.
const closing = ` = (values) => {
 let end;
 const open = values[Symbol.asyncIterator];
 if (open == null) return { [Symbol.iterator]: () => values[Symbol.iterator](), closed() {} };
 return {
  closed: () => Promise.resolve(end).then(() => {}, () => {}),
  [Symbol.asyncIterator]() {
   const it = open.call(values), next = it.next;
   return {
    next: () => next.call(it),
    get return() {
     const close = it.return;
     return close == null ? close : () => end = close.call(it);
    },
   };
  },
 };
};`

func (l *loops) visit(n *ast.Node) *ast.Node {
	if n.SubtreeFacts()&ast.SubtreeContainsForAwaitOrAsyncGenerator == 0 {
		return n
	}
	switch {
	case ast.IsSourceFile(n):
		changed := l.Visitor().VisitEachChild(n)
		l.EmitContext().AddEmitHelper(changed, l.EmitContext().ReadEmitHelpers()...)
		return changed
	case ast.IsLabeledStatement(n):
		inner := n
		for ast.IsLabeledStatement(inner) {
			inner = inner.AsLabeledStatement().Statement
		}
		if isForAwait(inner) {
			return l.change(inner, n.AsLabeledStatement())
		}
	case isForAwait(n):
		return l.change(n, nil)
	}
	return l.Visitor().VisitEachChild(n)
}

func isForAwait(n *ast.Node) bool {
	return n.Kind == ast.KindForOfStatement && n.AsForInOrOfStatement().AwaitModifier != nil
}

// change returns the block for a loop, which keeps its labels.
func (l *loops) change(n *ast.Node, labels *ast.LabeledStatement) *ast.Node {
	f, loop := l.Factory(), l.Visitor().VisitEachChild(n).AsForInOrOfStatement()
	l.EmitContext().RequestEmitHelper(l.closing)
	if l.values == nil {
		l.values = f.NewUniqueName("values")
	}
	values := l.values
	declared := f.NewVariableDeclarationList(f.NewNodeList([]*ast.Node{
		f.NewVariableDeclaration(values, nil, nil, l.call(f.NewUnscopedHelperName(l.name), loop.Expression)),
	}), ast.NodeFlagsConst)
	declared.Loc = n.Expression().Loc
	var changed *ast.Node = f.UpdateForInOrOfStatement(loop, loop.AwaitModifier, loop.Initializer, values, loop.Statement)
	if labels != nil {
		changed = f.RestoreEnclosingLabel(changed, labels)
	}
	closed := f.NewPropertyAccessExpression(values, nil, f.NewIdentifier("closed"), ast.NodeFlagsNone)
	wait := f.NewExpressionStatement(f.NewAwaitExpression(l.call(closed)))
	body := f.NewTryStatement(f.NewBlock(f.NewNodeList([]*ast.Node{changed}), true), nil, f.NewBlock(f.NewNodeList([]*ast.Node{wait}), false))
	return f.NewBlock(f.NewNodeList([]*ast.Node{f.NewVariableStatement(nil, declared), body}), true)
}

func (l *loops) call(function *ast.Node, args ...*ast.Node) *ast.Node {
	f := l.Factory()
	return f.NewCallExpression(function, nil, nil, f.NewNodeList(args), ast.NodeFlagsNone)
}
