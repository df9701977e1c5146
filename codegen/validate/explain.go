package validate

import (
	"cmp"
	"encoding/json"
	"errors"
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
)

// Limits of what is told of one call.
const (
	maxDetails = 20
	maxChoices = 20  // values of an enum that a message lists
	maxShown   = 200 // bytes of one of them, or of a pattern
)

// explainer turns the library's violations into sentences.
type explainer struct {
	value   any                           // the arguments
	schemas map[string]*jsonschema.Schema // by location
}

// details are the violations, sorted by place.
func (x explainer) details(err *jsonschema.ValidationError) ([]toolscript.Detail, error) {
	var all []toolscript.Detail
	for _, leaf := range leaves(err) {
		if _, ok := leaf.ErrorKind.(*kind.RefCycle); ok {
			return nil, errors.New("the schema refers to itself without end")
		}
		all = append(all, x.explain(leaf)...)
	}
	slices.SortFunc(all, func(a, b toolscript.Detail) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	all = slices.Compact(all)
	if more := len(all) - maxDetails; more > 0 {
		all = append(all[:maxDetails], toolscript.Detail{Message: fmt.Sprintf("and %d more", more)})
	}
	return all, nil
}

// leaves are the violations that have no further cause, but for those whose
// causes are alternatives.
func leaves(err *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch err.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.PropertyNames:
		return []*jsonschema.ValidationError{err}
	}
	if len(err.Causes) == 0 {
		return []*jsonschema.ValidationError{err}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range err.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// explain says what one violation expects and what is there instead.
func (x explainer) explain(err *jsonschema.ValidationError) []toolscript.Detail {
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
			all = append(all, toolscript.Detail{Path: at + pointer([]string{name}), Message: x.additional(err, name)})
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

// additional names the property that may have been meant.
func (x explainer) additional(err *jsonschema.ValidationError, name string) string {
	text := "unknown property " + strconv.Quote(name)
	var known []string
	if s := x.schemas[err.SchemaURL]; s != nil {
		for property := range s.Properties {
			known = append(known, property)
		}
	}
	slices.Sort(known)
	if near := toolscript.Nearest(name, known, 1); len(near) > 0 {
		text += "; did you mean " + strconv.Quote(near[0]) + "?"
	}
	return text
}

func (x explainer) propertyName(err *jsonschema.ValidationError, name string) string {
	text := "property name " + strconv.Quote(name) + " is not allowed"
	for _, cause := range err.Causes {
		for _, leaf := range leaves(cause) {
			return text + ": " + expectation(leaf.ErrorKind)
		}
	}
	return text
}

// alternatives explains a value that fits no branch, or more than one. When all
// branches want other types the message lists them; else it is that of the
// branch with the fewest violations, since that is likely the one meant.
func (x explainer) alternatives(err *jsonschema.ValidationError) []toolscript.Detail {
	at := pointer(err.InstanceLocation)
	if one, ok := err.ErrorKind.(*kind.OneOf); ok && len(one.Subschemas) > 0 {
		return []toolscript.Detail{{Path: at, Message: fmt.Sprintf(
			"expected exactly one of the alternatives to fit, but %d and %d do", one.Subschemas[0]+1, one.Subschemas[1]+1)}}
	}
	var types []string
	var best []*jsonschema.ValidationError
	for _, branch := range err.Causes {
		found := leaves(branch)
		wrong, ok := found[0].ErrorKind.(*kind.Type)
		if ok && len(found[0].InstanceLocation) == len(err.InstanceLocation) {
			types = append(types, wrong.Want...)
			continue
		}
		if best == nil || len(found) < len(best) {
			best = found
		}
	}
	if best == nil {
		slices.Sort(types)
		return []toolscript.Detail{{Path: at, Message: "expected " + strings.Join(slices.Compact(types), " or ") +
			", got " + typeOf(x.at(err.InstanceLocation))}}
	}
	var all []toolscript.Detail
	for _, leaf := range best {
		for _, d := range x.explain(leaf) {
			if len(err.Causes) > 1 && !strings.HasPrefix(d.Message, nearest) {
				d.Message = nearest + d.Message
			}
			all = append(all, d)
		}
	}
	return all
}

// nearest opens the message of a branch.
const nearest = "no alternative fits; in the nearest, "

// expectation is what a keyword wants.
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

// describe is the type of what is there, and its measure where that was wrong.
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
		return fmt.Sprintf("equal ones at %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MultipleOf:
		return "number " + show(got)
	}
	return typeOf(got)
}

// at is the value at a place of the arguments.
func (x explainer) at(place []string) any {
	value := x.value
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
		}
	}
	return value
}

// typeOf is the JSON type of a value.
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

// pointer is a place as a JSON pointer.
func pointer(place []string) string {
	var b strings.Builder
	for _, step := range place {
		b.WriteByte('/')
		b.WriteString(escape.Replace(step))
	}
	return b.String()
}

// decimal is a number as it is read best; violations need no more digits.
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

// show is a value as JSON, cut where it is long.
func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return typeOf(value)
	}
	return cut(string(text))
}

func cut(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}
