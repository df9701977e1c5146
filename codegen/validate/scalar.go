package validate

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Limits of numbers in comparisons. Exact arithmetic stores all digits of a number such as 1e400.
const (
	maxDigits   = 400
	maxExponent = 400 // exponents of float64 are smaller
)

// text applies the keywords of strings. Formats and content keywords are only
// annotations.
func (v *visit) text(value string) {
	if least, most := v.s.MinLength, v.s.MaxLength; least != nil || most != nil {
		v.spend(len(value) / 32)
		length := utf8.RuneCountInString(value)
		if least != nil && length < *least {
			v.add(&kind.MinLength{Got: length, Want: *least})
		}
		if most != nil && length > *most {
			v.add(&kind.MaxLength{Got: length, Want: *most})
		}
	}
	if v.s.Pattern != nil {
		if matched, known := v.matches(v.s.Pattern, value); known && !matched {
			v.add(&kind.Pattern{Want: v.s.Pattern.String()})
		}
	}
}

// number applies the keywords of numbers. It does not check numbers beyond the limits.
func (v *visit) number() {
	s := v.s
	if s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil && s.MultipleOf == nil {
		return
	}
	v.spend(numberPrice)
	r := rational(v.value)
	if r == nil {
		v.skipped = true
		return
	}
	if s.Minimum != nil && r.Cmp(s.Minimum) < 0 {
		v.add(&kind.Minimum{Got: r, Want: s.Minimum})
	}
	if s.Maximum != nil && r.Cmp(s.Maximum) > 0 {
		v.add(&kind.Maximum{Got: r, Want: s.Maximum})
	}
	if s.ExclusiveMinimum != nil && r.Cmp(s.ExclusiveMinimum) <= 0 {
		v.add(&kind.ExclusiveMinimum{Got: r, Want: s.ExclusiveMinimum})
	}
	if s.ExclusiveMaximum != nil && r.Cmp(s.ExclusiveMaximum) >= 0 {
		v.add(&kind.ExclusiveMaximum{Got: r, Want: s.ExclusiveMaximum})
	}
	if s.MultipleOf != nil && s.MultipleOf.Sign() > 0 && !new(big.Rat).Quo(r, s.MultipleOf).IsInt() {
		v.add(&kind.MultipleOf{Got: r, Want: s.MultipleOf})
	}
}

// rational returns the exact value of a number; nil for other values and for numbers
// with too many digits.
func rational(value any) *big.Rat {
	number, ok := value.(json.Number)
	if !ok || !withinDigits(number) {
		return nil
	}
	r, _ := new(big.Rat).SetString(number.String())
	return r
}

// withinDigits reports whether exact arithmetic with a number is cheap.
func withinDigits(number json.Number) bool {
	text := number.String()
	if len(text) > maxDigits {
		return false
	}
	at := strings.IndexAny(text, "eE")
	if at < 0 {
		return true
	}
	exponent, err := strconv.Atoi(text[at+1:])
	return err == nil && exponent >= -maxExponent && exponent <= maxExponent
}

// types maps the names of JSON types to their values in compiled schemas.
var types = func() map[string]jsonschema.Types {
	all := map[string]jsonschema.Types{}
	for _, name := range []string{"null", "boolean", "number", "string", "array", "object", "integer"} {
		var t jsonschema.Types
		t.Add(name)
		all[name] = t
	}
	return all
}()

// typeFits reports whether the schema allows the type of the value.
func (v *visit) typeFits() bool {
	allowed := v.s.Types
	return allowed == nil || allowed.IsEmpty() || *allowed&types[typeOf(v.value)] != 0 ||
		*allowed&types["integer"] != 0 && v.integer()
}

// integer reports whether the value is a number without a fraction.
func (v *visit) integer() bool {
	number, ok := v.value.(json.Number)
	if !ok {
		return false
	}
	if !strings.ContainsAny(number.String(), ".eE") {
		return true
	}
	v.spend(numberPrice)
	r := rational(number)
	return r == nil || r.IsInt()
}

// listed reports whether the value equals const, or is in enum if there is no const.
func (v *visit) listed() bool {
	if v.s.Const != nil {
		return v.equal(v.value, *v.s.Const)
	}
	for _, allowed := range v.s.Enum.Values {
		if v.equal(v.value, allowed) {
			return true
		}
	}
	return false
}

// equal reports whether two values are equal in the sense of JSON Schema.
func (v *visit) equal(a, b any) bool {
	v.spend(1)
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, member := range a {
			other, ok := b[name]
			if !ok || !v.equal(member, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !v.equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case string:
		b, ok := b.(string)
		if ok && len(a) == len(b) {
			v.spend(len(a) / 32)
			return a == b
		}
		return false
	case json.Number:
		b, ok := b.(json.Number)
		if !ok || a == b {
			return ok
		}
		v.spend(numberPrice)
		x, y := rational(a), rational(b)
		return x != nil && y != nil && x.Cmp(y) == 0
	}
	return a == b // null and booleans
}
