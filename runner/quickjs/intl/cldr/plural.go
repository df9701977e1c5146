package cldr

import (
	"math"
	"strconv"
	"strings"
)

// Operands are the operands of plural rules: the digits of a number as it is displayed.
type Operands struct {
	Integer  string // digits without leading zeros, or ""
	Fraction string // digits, with trailing zeros
	Exponent int    // exponent of a compact or scientific number
}

// Categories returns the plural categories of a locale. kind is cardinal or ordinal.
func Categories(numbers Table, kind string) (all []string) {
	for _, category := range []string{"few", "many", "one", "two", "zero"} {
		if _, has := numbers[kind+":"+category]; has {
			all = append(all, category)
		}
	}
	return append(all, "other") // other has no rule
}

// Plural returns the plural category of a number. kind is cardinal or ordinal.
func Plural(numbers Table, kind string, o Operands) string {
	for _, category := range []string{"few", "many", "one", "two", "zero"} { // the order of ICU
		if rule := numbers[kind+":"+category]; rule != "" && o.matches(rule) {
			return category
		}
	}
	return "other"
}

// matches evaluates a rule, such as: n % 10 = 1 and n % 100 != 11,71 or f = 0
func (o Operands) matches(rule string) bool {
	for alternative := range strings.SplitSeq(rule, " or ") {
		all := true
		for condition := range strings.SplitSeq(alternative, " and ") {
			all = all && o.fulfils(condition)
		}
		if all {
			return true
		}
	}
	return false
}

func (o Operands) fulfils(condition string) bool {
	fields := strings.Fields(condition) // operand [% number] relation ranges
	value := o.value(fields[0])
	fields = fields[1:]
	if fields[0] == "%" {
		divisor, _ := strconv.ParseFloat(fields[1], 64) // valid in the embedded data
		value = math.Mod(value, divisor)
		fields = fields[2:]
	}
	found := false
	for part := range strings.SplitSeq(fields[1], ",") {
		low, high, isRange := strings.Cut(part, "..")
		if !isRange {
			high = low
		}
		from, _ := strconv.ParseFloat(low, 64)
		to, _ := strconv.ParseFloat(high, 64)
		found = found || value >= from && value <= to && value == math.Trunc(value)
	}
	return found == (fields[0] == "=")
}

// keptDigits is a number of digits that suffices for all divisors in rules. Cutting the
// digits before them does not change remainders, and large numbers stay large.
const keptDigits = 15

func (o Operands) value(operand string) float64 {
	parse := func(digits string) float64 {
		if cut := len(digits) - keptDigits; cut > 0 {
			digits = "1" + digits[cut:]
		}
		value, _ := strconv.ParseFloat("0"+digits, 64) // digits
		return value
	}
	shown := strings.TrimRight(o.Fraction, "0")
	switch operand {
	case "n":
		if shown != "" {
			return parse(o.Integer) + 0.5 // no rule matches fractions
		}
		return parse(o.Integer)
	case "i":
		return parse(o.Integer)
	case "v":
		return float64(len(o.Fraction))
	case "w":
		return float64(len(shown))
	case "f":
		return parse(strings.TrimLeft(o.Fraction, "0"))
	case "t":
		return parse(strings.TrimLeft(shown, "0"))
	case "e", "c":
		return float64(o.Exponent)
	}
	return 0
}
