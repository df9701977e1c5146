package shim

import (
	"context"
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
	"github.com/microsoft/typescript-go/internal/compiler"
	"github.com/microsoft/typescript-go/internal/diagnostics"
)

// implicit lists the codes for parameters that have neither a type nor one from their
// context: TS7006, TS7019 and TS7031.
var implicit = []int32{
	diagnostics.Parameter_0_implicitly_has_an_1_type.Code(),
	diagnostics.Rest_parameter_0_implicitly_has_an_any_type.Code(),
	diagnostics.Binding_element_0_implicitly_has_an_1_type.Code(),
}

// withoutUntyped removes the diagnostics about parameters of functions that are passed to a
// value of type any, such as the callback of issues.map if the tool does not describe its
// issues. Such a parameter has type any because the value has, which is not a mistake of the
// script. Diagnostics about parameters of all other functions stay.
func withoutUntyped(ctx context.Context, program *compiler.Program, file *ast.SourceFile, found []*ast.Diagnostic) []*ast.Diagnostic {
	c, done := program.GetTypeCheckerForFile(ctx, file)
	defer done()
	return slices.DeleteFunc(slices.Clone(found), func(d *ast.Diagnostic) bool {
		return slices.Contains(implicit, d.Code()) && givenToAny(c, ast.GetNodeAtPosition(file, d.Pos(), false))
	})
}

// givenToAny reports whether a node is part of a function whose expected type is any.
func givenToAny(c *checker.Checker, node *ast.Node) bool {
	function := ast.FindAncestor(node, ast.IsFunctionLike)
	if function == nil || !ast.IsFunctionExpressionOrArrowFunction(function) {
		return false
	}
	value := function
	for ast.IsPropertyAssignment(value.Parent) { // if a literal has type any, its properties have no types
		value = value.Parent.Parent
	}
	expected := c.GetContextualType(value, checker.ContextFlagsNone)
	return expected != nil && expected.Flags()&checker.TypeFlagsAny != 0
}
