package shim

import (
	_ "embed"
	"regexp"
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// intl declares the parts of Intl that both engines have.
//
//go:embed intl.d.ts
var intl string

// intlAdvice is appended to diagnostics about Intl, because other environments have more parts of it.
const intlAdvice = "\n  Scripts have these parts of Intl: DateTimeFormat, NumberFormat, Collator, PluralRules, RelativeTimeFormat and ListFormat," +
	" with the Gregorian calendar and the digits 0 to 9. docs/scripts.md has what is missing."

var intlTypes = regexp.MustCompile(`'(typeof Intl|(Intl\.)?(Collator|NumberFormat|DateTimeFormat|PluralRules|RelativeTimeFormat|ListFormat)(Options)?)'`)

// intlMethods lists the methods that take options of Intl.
var intlMethods = []string{"toLocaleString", "toLocaleDateString", "toLocaleTimeString", "localeCompare"}

// aboutIntl reports whether a diagnostic is about a part of Intl or about one of its options.
func aboutIntl(d *ast.Diagnostic, file *ast.SourceFile) bool {
	if intlTypes.MatchString(message(d, 0)) {
		return true
	}
	if !slices.Contains(wrongArgument, d.Code()) {
		return false
	}
	for n := innermost(file.AsNode(), d.Pos()); n != nil && !ast.IsFunctionLike(n); n = n.Parent {
		if !ast.IsCallExpression(n) && !ast.IsNewExpression(n) || !ast.IsPropertyAccessExpression(n.Expression()) {
			continue
		}
		callee := n.Expression()
		of := callee.Expression()
		return ast.IsIdentifier(of) && of.Text() == "Intl" || slices.Contains(intlMethods, callee.Name().Text())
	}
	return false
}
