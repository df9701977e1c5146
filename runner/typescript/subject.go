package shim

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
	"github.com/microsoft/typescript-go/internal/diagnostics"
)

// Subject identifies the cause of a diagnostic, for advice that the compiler cannot give.
type Subject struct {
	Name   string // an unknown name, such as files
	Next   string // the member of Name that the script uses: readFile in files.readFile
	In     string // the scope of the lookup: a type, as printed; a module in quotes; "" for the script's scope
	Type   string // the interface of the module whose method has wrong arguments
	Member string // the method of Type
}

// Codes of the diagnostics about unknown names.
var (
	noProperty = []int32{
		diagnostics.Property_0_does_not_exist_on_type_1.Code(),
		diagnostics.Property_0_does_not_exist_on_type_1_Did_you_mean_2.Code(),
		diagnostics.Property_0_does_not_exist_on_type_1_Do_you_need_to_change_your_target_library_Try_changing_the_lib_compiler_option_to_2_or_later.Code(),
	}
	noExport = []int32{
		diagnostics.Module_0_has_no_exported_member_1.Code(),
		diagnostics.X_0_has_no_exported_member_named_1_Did_you_mean_2.Code(),
		diagnostics.Module_0_has_no_exported_member_1_Did_you_mean_to_use_import_1_from_0_instead.Code(),
	}
	noName = []int32{
		diagnostics.Cannot_find_name_0.Code(),
		diagnostics.Cannot_find_name_0_Did_you_mean_1.Code(),
		diagnostics.Cannot_find_namespace_0.Code(),
		diagnostics.Cannot_find_name_0_Do_you_need_to_install_type_definitions_for_node_Try_npm_i_save_dev_types_Slashnode.Code(),
		diagnostics.Cannot_find_name_0_Do_you_need_to_install_type_definitions_for_node_Try_npm_i_save_dev_types_Slashnode_and_then_add_node_to_the_types_field_in_your_tsconfig.Code(),
		diagnostics.Cannot_find_name_0_Do_you_need_to_change_your_target_library_Try_changing_the_lib_compiler_option_to_include_dom.Code(),
		diagnostics.Cannot_find_name_0_Do_you_need_to_change_your_target_library_Try_changing_the_lib_compiler_option_to_1_or_later.Code(),
	}
)

// wrongArgument lists the codes of the diagnostics about arguments.
var wrongArgument = []int32{
	diagnostics.Argument_of_type_0_is_not_assignable_to_parameter_of_type_1.Code(),
	diagnostics.Type_0_is_not_assignable_to_type_1.Code(),
	diagnostics.Type_0_is_not_assignable_to_type_1_Did_you_mean_2.Code(),
	diagnostics.Type_0_has_no_properties_in_common_with_type_1.Code(),
	diagnostics.Object_literal_may_only_specify_known_properties_and_0_does_not_exist_in_type_1.Code(),
	diagnostics.Object_literal_may_only_specify_known_properties_but_0_does_not_exist_in_type_1_Did_you_mean_to_write_2.Code(),
	diagnostics.Property_0_is_missing_in_type_1_but_required_in_type_2.Code(),
	diagnostics.Type_0_is_missing_the_following_properties_from_type_1_Colon_2.Code(),
	diagnostics.Type_0_is_missing_the_following_properties_from_type_1_Colon_2_and_3_more.Code(),
	diagnostics.Expected_0_arguments_but_got_1.Code(),
	diagnostics.Expected_at_least_0_arguments_but_got_1.Code(),
	diagnostics.Expected_at_least_0_arguments_but_got_1.Code(),
	diagnostics.No_overload_matches_this_call.Code(),
}

// subject returns the subject of a diagnostic in the script.
func subject(c *checker.Checker, file *ast.SourceFile, d *ast.Diagnostic) (s Subject) {
	args := d.MessageArgs()
	node := innermost(file.AsNode(), d.Pos())
	switch {
	case slices.Contains(noProperty, d.Code()) && len(args) >= 2:
		s.Name, s.In, s.Next = args[0], args[1], next(node)
	case slices.Contains(noExport, d.Code()) && len(args) >= 2:
		s.In, s.Name = args[0], args[1]
	case slices.Contains(noName, d.Code()) && len(args) >= 1:
		s.Name, s.Next = args[0], next(node)
	case slices.Contains(wrongArgument, d.Code()):
		s.Type, s.Member = called(c, node)
	}
	return s
}

// innermost returns the smallest node in n that begins at or before pos and ends
// after it.
func innermost(n *ast.Node, pos int) *ast.Node {
	for {
		var inner *ast.Node
		n.ForEachChild(func(child *ast.Node) bool {
			if child.Pos() <= pos && pos < child.End() {
				inner = child
			}
			return inner != nil
		})
		if inner == nil {
			return n
		}
		n = inner
	}
}

// next returns the member that a script reads from a name: b in a.b, where node is a.
func next(node *ast.Node) string {
	of := node
	if p := node.Parent; p != nil && ast.IsPropertyAccessExpression(p) && p.Name() == node { // x.a
		of = p
	}
	if p := of.Parent; p != nil && ast.IsPropertyAccessExpression(p) && p.Expression() == of {
		return p.Name().Text()
	}
	return ""
}

// called returns the method of the module in whose call a node is, as an argument or as its
// name. It ignores calls outside the innermost function that encloses the node.
func called(c *checker.Checker, node *ast.Node) (holder, member string) {
	for n := node; n != nil && !ast.IsFunctionLike(n); n = n.Parent {
		if !ast.IsCallExpression(n) {
			continue
		}
		callee := n.Expression()
		if holder, member = method(c, callee); member != "" {
			return holder, member
		}
		if ast.IsPropertyAccessExpression(callee) && callee.Name().Text() == "pages" { // of a tool
			if holder, member = method(c, callee.Expression()); member != "" {
				return holder, member
			}
		}
	}
	return "", ""
}

// method returns the interface and the name of the member that callee refers to: a method, or
// a tool with pages. Both are empty if callee is not a member of an interface of the module.
func method(c *checker.Checker, callee *ast.Node) (holder, member string) {
	var found []*ast.Symbol
	if ast.IsPropertyAccessExpression(callee) {
		found = append(found, c.GetSymbolAtLocation(callee.Name()))
	}
	if t := c.GetTypeAtLocation(callee); t != nil {
		found = append(found, t.Symbol())
	}
	for _, symbol := range found {
		if symbol == nil {
			continue
		}
		for _, declaration := range symbol.Declarations {
			of := declaration.Parent
			if (ast.IsMethodSignatureDeclaration(declaration) || ast.IsPropertySignatureDeclaration(declaration)) && ast.IsInterfaceDeclaration(of) &&
				ast.GetSourceFileOfNode(declaration).FileName() == moduleFile {
				return of.Name().Text(), declaration.Name().Text()
			}
		}
	}
	return "", ""
}
