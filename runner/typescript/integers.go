package shim

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/diagnostics"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// codeInteger is the code of TypeScript's suggestion about large integers.
var codeInteger = "TS" + strconv.Itoa(int(diagnostics.Numeric_literals_with_absolute_values_equal_to_2_53_or_greater_are_too_large_to_be_represented_accurately_as_integers.Code()))

// inexactIntegers returns a diagnostic for each integer literal whose digits a number cannot hold,
// and for each literal in a comparison with large integers that can never be equal.
func inexactIntegers(file *ast.SourceFile) (found []Diagnostic) {
	open := []*ast.Node{file.AsNode()}
	push := func(n *ast.Node) bool {
		open = append(open, n)
		return false
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if ast.IsNumericLiteral(n) {
			if message := inexact(scanner.GetSourceTextOfNodeFromSourceFile(file, n, false), comparedStrictly(n)); message != "" {
				line, column := scanner.GetECMALineAndUTF16CharacterOfPosition(file, scanner.GetTokenPosOfNode(n, file, false))
				found = append(found, Diagnostic{File: nameOf(file), Line: line + 1, Column: int(column) + 1, Code: codeInteger, Message: message})
			}
		}
		n.ForEachChild(push)
	}
	slices.Reverse(found) // the last child is visited first
	return found
}

// maxDigits bounds the length of literals that are parsed, in bytes.
const maxDigits = 1000

// maxSafe is Number.MAX_SAFE_INTEGER.
var maxSafe = big.NewInt(1<<53 - 1)

// inexact returns a message about a number literal, or "" for an integer that keeps its
// digits, a fraction, or a number with an exponent. compared says that the literal is
// compared without conversion, so that it does not equal a large integer of a result.
func inexact(literal string, compared bool) string {
	if len(literal) > maxDigits {
		return "this number has too many digits; write it as a bigint, with n after the digits"
	}
	n, is := new(big.Int).SetString(literal, 0)
	if !is || n.Cmp(maxSafe) <= 0 {
		return ""
	}
	nearest, _ := new(big.Float).SetInt(n).Float64()
	becomes := strconv.FormatFloat(nearest, 'f', -1, 64) // the digits of JavaScript
	switch {
	case becomes != n.String():
		return fmt.Sprintf("a number cannot hold all digits of %s, which would become %s; write the bigint %[1]sn", literal, becomes)
	case compared:
		return fmt.Sprintf("an integer of a result beyond 2^53 is a bigint, which is not equal to the number %s; compare with BigInt(value) === %[1]sn", literal)
	}
	return ""
}

// comparedStrictly reports whether a number is an operand of ===, !== or case.
func comparedStrictly(n *ast.Node) bool {
	n = outer(n)
	switch p := n.Parent; {
	case ast.IsPrefixUnaryExpression(p):
		return comparedStrictly(p)
	case ast.IsBinaryExpression(p):
		operator := p.AsBinaryExpression().OperatorToken.Kind
		return operator == ast.KindEqualsEqualsEqualsToken || operator == ast.KindExclamationEqualsEqualsToken
	default:
		return ast.IsCaseClause(p)
	}
}

// neverEqual lists the codes of the diagnostics about comparisons of incompatible types.
var neverEqual = []int32{
	diagnostics.This_comparison_appears_to_be_unintentional_because_the_types_0_and_1_have_no_overlap.Code(),
	diagnostics.Type_0_is_not_comparable_to_type_1.Code(),
}

// comparesIntegers reports whether a diagnostic is about a comparison of a number with a
// bigint. In the types of results, large integers are numbers.
func comparesIntegers(d *ast.Diagnostic) bool {
	if !slices.Contains(neverEqual, d.Code()) {
		return false
	}
	number, large := false, false
	for _, t := range d.MessageArgs() {
		bare := strings.TrimPrefix(t, "-")
		switch {
		case t == "bigint" || strings.HasSuffix(bare, "n") && isNumber(strings.TrimSuffix(bare, "n")):
			large = true
		case t == "number" || isNumber(bare):
			number = true
		}
	}
	return number && large
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
