package number

import (
	"math/big"
	"strings"
)

// round rounds to a multiple of increment times ten to the power of position.
func (d Decimal) round(position, increment int, mode string) Decimal {
	if d.nan || d.infinite || d.digits == "" {
		return d
	}
	if increment > 1 {
		return d.roundTo(position, increment, mode)
	}
	keep := d.point - position // number of digits that stay
	if keep >= len(d.digits) {
		return d
	}
	var rest string
	kept := ""
	if keep >= 0 {
		kept, rest = d.digits[:keep], d.digits[keep:]
	} else {
		rest = strings.Repeat("0", -keep) + d.digits
	}
	half := strings.Compare(rest, "5") // rest has no trailing zeros
	odd := kept != "" && (kept[len(kept)-1]-'0')%2 == 1
	rounded := d
	rounded.digits, rounded.point = kept, position+len(kept)
	if away(mode, d.negative, half, odd) {
		rounded.digits = increased(kept)
		rounded.point = position + len(rounded.digits)
	}
	return rounded.trimmed()
}

// roundTo is round for increments greater than 1, such as 25.
func (d Decimal) roundTo(position, increment int, mode string) Decimal {
	shift := max(0, position-(d.point-len(d.digits))) // number of digits below the position
	value, _ := new(big.Int).SetString(d.digits+strings.Repeat("0", max(0, d.point-len(d.digits)-position)), 10)
	step := new(big.Int).Mul(big.NewInt(int64(increment)), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), nil))
	quotient, rest := new(big.Int).QuoRem(value, step, new(big.Int))
	if rest.Sign() != 0 {
		half := new(big.Int).Lsh(rest, 1).Cmp(step)
		if away(mode, d.negative, half, quotient.Bit(0) == 1) {
			quotient.Add(quotient, big.NewInt(1))
		}
	}
	quotient.Mul(quotient, big.NewInt(int64(increment)))
	rounded := d
	rounded.digits = quotient.String()
	rounded.point = position + len(rounded.digits)
	return rounded.trimmed()
}

// away reports whether an inexact number is rounded away from zero. half compares the digits
// that are cut with one half, and odd says whether the digits that stay are odd.
func away(mode string, negative bool, half int, odd bool) bool {
	switch mode {
	case "ceil":
		return !negative
	case "floor":
		return negative
	case "expand":
		return true
	case "trunc":
		return false
	}
	if half != 0 {
		return half > 0
	}
	switch mode {
	case "halfCeil":
		return !negative
	case "halfFloor":
		return negative
	case "halfTrunc":
		return false
	case "halfEven":
		return odd
	}
	return true // halfExpand
}

// increased returns digits plus one.
func increased(digits string) string {
	b := []byte(digits)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != '9' {
			b[i]++
			return string(b)
		}
		b[i] = '0'
	}
	return "1" + string(b)
}

// rounded is a number with the minimal number of fraction digits to show.
type rounded struct {
	Decimal
	least int
}

// digits rounds a number according to the options.
func (o *Options) digits(d Decimal) rounded {
	var r rounded
	switch o.RoundingPriority {
	case "morePrecision", "lessPrecision":
		s, sAt := o.significant(d)
		f, fAt := o.fixed(d)
		if (sAt <= fAt) == (o.RoundingPriority == "morePrecision") {
			r = s
		} else {
			r = f
		}
	default:
		r, _ = o.fixed(d)
		if o.MaximumSignificantDigits > 0 {
			r, _ = o.significant(d)
		}
	}
	if o.TrailingZeroDisplay == "stripIfInteger" && r.fraction() == "" {
		r.least = 0
	}
	return r
}

func (o *Options) significant(d Decimal) (r rounded, position int) {
	magnitude := 0
	if d.digits != "" {
		magnitude = d.magnitude()
	}
	position = magnitude - o.MaximumSignificantDigits + 1
	r = rounded{Decimal: d.round(position, 1, o.RoundingMode)}
	if r.digits != "" {
		magnitude = r.magnitude()
	}
	r.least = max(0, o.MinimumSignificantDigits-1-magnitude)
	return r, position
}

func (o *Options) fixed(d Decimal) (r rounded, position int) {
	position = -o.MaximumFractionDigits
	return rounded{d.round(position, o.RoundingIncrement, o.RoundingMode), o.MinimumFractionDigits}, position
}
