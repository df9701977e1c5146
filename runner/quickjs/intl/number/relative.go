package number

import (
	"strings"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
)

// Relative formats relative times. Prepare must be called before Parts.
type Relative struct {
	Style   string `json:"style"`   // long, short or narrow
	Numeric string `json:"numeric"` // always or auto

	patterns cldr.Table
	numbers  *Format
}

// Prepare sets the locale.
func (r *Relative) Prepare(locale string) {
	r.patterns = cldr.Of(locale, cldr.Words)
	r.numbers = New(Options{Locale: locale, Style: "decimal", MaximumFractionDigits: 3, UseGrouping: "auto", RoundingIncrement: 1, RoundingMode: "halfEven", SignDisplay: "never"})
}

// Parts formats a number of units such as day. Negative numbers are in the past.
func (r *Relative) Parts(value, unit string) ([]Part, error) {
	kind := unit
	if r.Style != "long" {
		kind += "-" + r.Style
	}
	if r.Numeric == "auto" {
		name := value
		if name == "-0" {
			name = "0"
		}
		if text := r.patterns.At("relative", kind, name); text != "" {
			return []Part{{Type: "literal", Value: text}}, nil
		}
	}
	d, err := Parse(value)
	if err != nil {
		return nil, err
	}
	way := "future"
	if strings.HasPrefix(value, "-") {
		way = "past"
	}
	pattern := r.patterns.At("relative", kind, way, r.numbers.Select("cardinal", d))
	if pattern == "" {
		pattern = r.patterns.At("relative", kind, way, "other")
	}
	before, after, _ := strings.Cut(pattern, "{0}")
	var parts []Part
	if before != "" {
		parts = append(parts, Part{Type: "literal", Value: before})
	}
	for _, p := range r.numbers.Parts(d) {
		p.Unit = unit
		parts = append(parts, p)
	}
	if after != "" {
		parts = append(parts, Part{Type: "literal", Value: after})
	}
	return parts, nil
}
