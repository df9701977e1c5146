package toolscript

import (
	"regexp"
	"strings"
)

// expression matches an expression of a URI template (RFC 6570).
var expression = regexp.MustCompile(`\{([+#./;?&]?)[^{}]*\}`)

// FitsTemplate reports whether uri may be an expansion of a URI template. It is false for a template
// without expressions.
func FitsTemplate(template, uri string) bool {
	var pattern strings.Builder
	at := 0
	for _, found := range expression.FindAllStringSubmatchIndex(template, -1) {
		pattern.WriteString(regexp.QuoteMeta(template[at:found[0]]))
		switch operator := template[found[2]:found[3]]; operator {
		case "":
			pattern.WriteString(`[^/?#]*`)
		case "+", "#":
			pattern.WriteString(`.*`)
		default:
			pattern.WriteString(`(?:` + regexp.QuoteMeta(operator) + `.*)?`)
		}
		at = found[1]
	}
	pattern.WriteString(regexp.QuoteMeta(template[at:]))
	whole, err := regexp.Compile(`^(?:` + pattern.String() + `)$`)
	return err == nil && at > 0 && whole.MatchString(uri)
}
