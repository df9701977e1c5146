package number

import (
	"strings"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
)

// List formats lists. Prepare must be called before Parts.
type List struct {
	Type  string `json:"type"`  // conjunction, disjunction or unit
	Style string `json:"style"` // long, short or narrow

	language string
	patterns cldr.Table
	kind     string
}

// Prepare sets the locale.
func (l *List) Prepare(locale string) {
	l.language, _, _ = strings.Cut(locale, "-")
	l.patterns = cldr.Of(locale, cldr.Words)
	l.kind = map[string]string{"conjunction": "standard", "disjunction": "or", "unit": "unit"}[l.Type]
	if l.Style != "long" {
		l.kind += "-" + l.Style
	}
}

// Parts formats a list.
func (l *List) Parts(items []string) (parts []Part) {
	for i, item := range items {
		if i > 0 {
			place := "middle"
			switch {
			case len(items) == 2:
				place = "2"
			case i == 1:
				place = "start"
			case i == len(items)-1:
				place = "end"
			}
			pattern := l.euphonic(l.patterns.At("list", l.kind, place), item)
			between := strings.TrimSuffix(strings.TrimPrefix(pattern, "{0}"), "{1}")
			parts = append(parts, Part{Type: "literal", Value: between})
		}
		parts = append(parts, Part{Type: "element", Value: item})
	}
	return parts
}

// euphonic replaces the Spanish words y and o before words that begin with the same sound.
func (l *List) euphonic(pattern, next string) string {
	if l.language != "es" {
		return pattern
	}
	next = strings.ToLower(next[:min(len(next), 4)])
	switch {
	case strings.Contains(pattern, " y ") && (strings.HasPrefix(next, "i") || strings.HasPrefix(next, "hi") && !strings.HasPrefix(next, "hia") && !strings.HasPrefix(next, "hie")):
		return strings.Replace(pattern, " y ", " e ", 1)
	case strings.Contains(pattern, " o ") && (strings.HasPrefix(next, "o") || strings.HasPrefix(next, "ho") || strings.HasPrefix(next, "8") || next == "11" || strings.HasPrefix(next, "11 ")):
		return strings.Replace(pattern, " o ", " u ", 1)
	}
	return pattern
}
