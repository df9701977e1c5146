package shim

import (
	"context"
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
	"github.com/microsoft/typescript-go/internal/compiler"
	"github.com/microsoft/typescript-go/internal/diagnostics"
)

// implicit are tsc's findings about a parameter that has no type and gets none from
// where its function stands: TS7006, TS7019 and TS7031.
var implicit = []int32{
	diagnostics.Parameter_0_implicitly_has_an_1_type.Code(),
	diagnostics.Rest_parameter_0_implicitly_has_an_any_type.Code(),
	diagnostics.Binding_element_0_implicitly_has_an_1_type.Code(),
}

// withoutUntyped leaves those out that are about a function given to a value of
// type any, as the callback of issues.map is when the tool promises nothing about
// its issues. The parameter is any because the value is, which is no mistake of the
// script. A parameter of any other function is still told.
func withoutUntyped(ctx context.Context, program *compiler.Program, file *ast.SourceFile, found []*ast.Diagnostic) []*ast.Diagnostic {
	c, done := program.GetTypeCheckerForFile(ctx, file)
	defer done()
	return slices.DeleteFunc(slices.Clone(found), func(d *ast.Diagnostic) bool {
		return slices.Contains(implicit, d.Code()) && givenToAny(c, ast.GetNodeAtPosition(file, d.Pos(), false))
	})
}

// givenToAny reports whether a node is part of a function that stands where any is
// expected.
func givenToAny(c *checker.Checker, node *ast.Node) bool {
	function := ast.FindAncestor(node, ast.IsFunctionLike)
	if function == nil || !ast.IsFunctionExpressionOrArrowFunction(function) {
		return false
	}
	value := function
	for ast.IsPropertyAssignment(value.Parent) { // of a literal, of which any says nothing about the properties
		value = value.Parent.Parent
	}
	expected := c.GetContextualType(value, checker.ContextFlagsNone)
	return expected != nil && expected.Flags()&checker.TypeFlagsAny != 0
}
