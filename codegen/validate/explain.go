package validate

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/texts"
)

// Limits of the details of one call.
const (
	maxDetails     = 20
	maxComparisons = 40
	maxChoices     = 20  // values of an enum in a message
	maxShown       = 200 // bytes of a value or pattern in a message
)

// explainer translates the library's violations into sentences.
type explainer struct {
	checker     *checker
	value       any                        // the arguments
	more        bool                       // the check stopped early, so there may be further violations
	comparisons int                        // number of names that were compared with all names of a schema
	tags        map[*jsonschema.Schema]tag // tags of unions, by the first branch
}

// details returns the violations as Details, sorted by the position of the value.
func (x *explainer) details(err *violation) []toolscript.Detail {
	var all []toolscript.Detail
	for _, leaf := range leaves(err) {
		all = append(all, x.explain(leaf)...)
	}
	slices.SortFunc(all, func(a, b toolscript.Detail) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	all = slices.Compact(all)
	if more := len(all) - maxDetails; more > 0 {
		atLeast := ""
		if x.more {
			atLeast = "at least "
		}
		all = append(all[:maxDetails], toolscript.Detail{Message: fmt.Sprintf("and %s%d more", atLeast, more)})
	}
	return all
}

// leaves returns the innermost causes of a violation. A violation of anyOf or oneOf counts as
// innermost: its causes are alternatives.
func leaves(err *violation) []*violation {
	switch err.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.PropertyNames:
		return []*violation{err}
	}
	if len(err.Causes) == 0 {
		return []*violation{err}
	}
	var all []*violation
	for _, cause := range err.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// explain returns Details that say what the violated keyword expects and what the arguments have.
func (x *explainer) explain(err *violation) []toolscript.Detail {
	at := pointer(err.InstanceLocation)
	switch k := err.ErrorKind.(type) {
	case *kind.Required:
		var all []toolscript.Detail
		for _, name := range k.Missing {
			all = append(all, toolscript.Detail{Path: at, Message: "missing property " + strconv.Quote(name)})
		}
		return all
	case *kind.AdditionalProperties:
		var all []toolscript.Detail
		for _, name := range k.Properties {
			all = append(all, toolscript.Detail{Path: at + pointer([]string{name}), Message: "unknown property " + strconv.Quote(cut(name)) + x.meant(err, name)})
		}
		return all
	case *kind.AnyOf, *kind.OneOf:
		return x.alternatives(err)
	case *kind.PropertyNames:
		return []toolscript.Detail{{Path: at, Message: x.propertyName(err, k.Property)}}
	}
	got := x.at(err.InstanceLocation)
	return []toolscript.Detail{{Path: at, Message: expectation(err.ErrorKind) + ", got " + describe(err.ErrorKind, got)}}
}

// meant returns a suggestion for a misspelt property name, or "".
func (x *explainer) meant(err *violation, name string) string {
	if x.comparisons++; x.comparisons > maxComparisons {
		return ""
	}
	var known []string
	if s := x.checker.schemas[err.SchemaURL]; s != nil {
		for property := range s.Properties {
			known = append(known, property)
		}
	}
	slices.Sort(known)
	near := naming.Nearest(name, known, 1)
	for i := range near {
		near[i] = strconv.Quote(near[i])
	}
	return naming.DidYouMean(near)
}

func (x *explainer) propertyName(err *violation, name string) string {
	text := "property name " + strconv.Quote(cut(name)) + " is not allowed"
	for _, cause := range err.Causes {
		for _, leaf := range leaves(cause) {
			return text + ": " + expectation(leaf.ErrorKind)
		}
	}
	return text
}

// expectation describes what a keyword requires.
func expectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "expected " + strings.Join(k.Want, " or ")
	case *kind.Enum:
		return "expected one of " + choices(k.Want)
	case *kind.Const:
		return "expected " + show(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("expected at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("expected at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("expected at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("expected at most %d items", k.Want)
	case *kind.UniqueItems:
		return "expected items that differ"
	case *kind.Pattern:
		return "expected a string that matches " + cut(k.Want)
	case *kind.Minimum:
		return "expected at least " + decimal(k.Want)
	case *kind.Maximum:
		return "expected at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "expected more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "expected less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "expected a multiple of " + decimal(k.Want)
	case *kind.Not:
		return "expected a value that the schema does not exclude"
	case *kind.FalseSchema:
		return "expected no value"
	}
	return cut(k.LocalizedString(english))
}

var english = message.NewPrinter(language.English)

// describe returns the type of a value, and its size if the violation is about the size.
func describe(k jsonschema.ErrorKind, got any) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("string of %d", k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("string of %d", k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("array of %d", k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("array of %d", k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("equal items at %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MultipleOf:
		return "number " + show(got)
	}
	return typeOf(got)
}

// at returns the value at a place in the arguments.
func (x *explainer) at(place []string) any { return valueAt(x.value, place) }

// valueAt returns the value at a place in value; nil if there is none.
func valueAt(value any, place []string) any {
	for _, step := range place {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// typeOf returns the JSON type of a value.
func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// pointer returns a place as a JSON pointer.
func pointer(place []string) string {
	var b strings.Builder
	for _, step := range place {
		b.WriteByte('/')
		b.WriteString(escape.Replace(cut(step)))
	}
	return b.String()
}

// decimal formats a number for readers, with the precision of a float64.
func decimal(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func choices(values []any) string {
	var shown []string
	for i, v := range values {
		if i == maxChoices {
			shown = append(shown, fmt.Sprintf("… (%d more)", len(values)-i))
			break
		}
		shown = append(shown, show(v))
	}
	return strings.Join(shown, ", ")
}

// show returns a value as JSON, shortened if it is long.
func show(value any) string {
	text, err := toolscript.PlainJSON(value)
	if err != nil {
		return typeOf(value)
	}
	return cut(string(text))
}

func cut(s string) string { return texts.Short(s, maxShown) }
