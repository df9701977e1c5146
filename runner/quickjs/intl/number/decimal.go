package number

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Decimal is a decimal number: 0.DIGITS times ten to the power of point. The zero value is 0.
type Decimal struct {
	negative      bool
	nan, infinite bool
	digits        string // without leading and trailing zeros; "" for zero
	point         int
}

// mostDigits bounds the digits of a number. Bigints of JavaScript can have far more, but a
// text with so many digits is of no use.
const mostDigits = 10_000

// FromFloat returns the shortest decimal number that converts to f.
func FromFloat(f float64) Decimal {
	switch {
	case math.IsNaN(f):
		return Decimal{nan: true}
	case math.IsInf(f, 0):
		return Decimal{infinite: true, negative: f < 0}
	}
	text := strconv.FormatFloat(math.Abs(f), 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	e, _ := strconv.Atoi(exponent) // always valid
	d := Decimal{negative: math.Signbit(f), digits: strings.Replace(mantissa, ".", "", 1), point: e + 1}
	return d.trimmed()
}

// Parse parses a number with an optional sign, fraction and exponent.
func Parse(text string) (Decimal, error) {
	d := Decimal{}
	rest, negative := strings.CutPrefix(text, "-")
	d.negative = negative
	rest = strings.TrimPrefix(rest, "+")
	rest, exponent, scaled := strings.Cut(strings.ToLower(rest), "e")
	whole, fraction, _ := strings.Cut(rest, ".")
	d.digits, d.point = whole+fraction, len(whole)
	if strings.Trim(d.digits, "0123456789") != "" || d.digits == "" {
		return d, fmt.Errorf("%.100q is not a decimal number", text)
	}
	if scaled {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > mostDigits || e < -mostDigits {
			return d, fmt.Errorf("the exponent %.100q is out of range", exponent)
		}
		d.point += e
	}
	d = d.trimmed()
	if len(d.digits) > mostDigits || d.point > mostDigits || d.point < -mostDigits {
		return d, fmt.Errorf("a number with more than %d digits cannot be formatted", mostDigits)
	}
	return d, nil
}

func (d Decimal) trimmed() Decimal {
	whole := len(d.digits)
	d.digits = strings.TrimLeft(d.digits, "0")
	d.point -= whole - len(d.digits)
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		d.point = 0
	}
	return d
}

func (d Decimal) isZero() bool { return d.digits == "" && !d.nan && !d.infinite }

// magnitude returns the power of ten of the first digit.
func (d Decimal) magnitude() int { return d.point - 1 }

// scaled returns d times ten to the given power.
func (d Decimal) scaled(power int) Decimal {
	if d.digits != "" {
		d.point += power
	}
	return d
}

// whole returns the digits before the point, without leading zeros.
func (d Decimal) whole() string {
	switch {
	case d.point <= 0:
		return ""
	case d.point >= len(d.digits):
		return d.digits + strings.Repeat("0", d.point-len(d.digits))
	}
	return d.digits[:d.point]
}

// fraction returns the digits after the point, without trailing zeros.
func (d Decimal) fraction() string {
	switch {
	case d.digits == "" || d.point >= len(d.digits):
		return ""
	case d.point < 0:
		return strings.Repeat("0", -d.point) + d.digits
	}
	return d.digits[d.point:]
}
