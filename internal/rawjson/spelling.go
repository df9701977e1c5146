package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// HasOwnSpelling reports whether a value contains a number that JavaScript would write
// differently, such as 1.0, 1e2 or 0.10, or whose digits it could not hold. It may report true
// for such a number inside a string. It does not look for integers with too many digits.
func HasOwnSpelling(value []byte) bool {
	for at := 0; at < len(value); at++ {
		if !isDigit(value[at]) {
			continue
		}
		begin := at
		for at < len(value) && isDigit(value[at]) {
			at++
		}
		if begin > 0 && value[begin-1] == '-' {
			begin--
		}
		if at < len(value) && (value[at] == '.' || value[at]|0x20 == 'e') {
			for at < len(value) && (isDigit(value[at]) || bytes.IndexByte([]byte(".eE+-"), value[at]) >= 0) {
				at++
			}
			if !canonical(value[begin:at]) {
				return true
			}
		} else if string(value[begin:at]) == "-0" {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// canonical reports whether JavaScript writes a number with a point or an exponent exactly
// as it is written here.
func canonical(number []byte) bool {
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return false
	}
	text, err := json.Marshal(f) // encoding/json writes numbers as JavaScript does
	return err == nil && bytes.Equal(text, number)
}

// Respell returns value with the numbers as they are spelled in original. It returns false
// unless value is the JSON that JavaScript writes after it has parsed original. Strings stay
// as they are in value, because original may have other escapes.
func Respell(value, original []byte) (respelled []byte, same bool) {
	ours, theirs := jsontext.NewDecoder(bytes.NewReader(value), lenient...), jsontext.NewDecoder(bytes.NewReader(original), lenient...)
	done := 0 // number of bytes of value that were copied to respelled
	for {
		a, endA := ours.ReadToken()
		b, endB := theirs.ReadToken()
		if endA != nil || endB != nil {
			return append(respelled, value[done:]...), endA != nil && endB != nil // both are valid
		}
		switch kind := b.Kind(); {
		case kind == '0' && a.Kind() == 'n': // 1e999 is written as null
			if _, beyond := strconv.ParseFloat(b.String(), 64); beyond == nil {
				return nil, false
			}
		case kind != a.Kind(), kind == '"' && a.String() != b.String(), kind == '0' && !sameNumber(a.String(), b.String()):
			return nil, false
		}
		if b.Kind() == '0' {
			end := int(ours.InputOffset())
			respelled = append(append(respelled, value[done:end-len(a.String())]...), b.String()...)
			done = end
		}
	}
}

// sameNumber compares numbers as JavaScript does, except that large integers are exact.
func sameNumber(value, original string) bool {
	if value == original {
		return true
	}
	if original != "-0" && !bytes.ContainsAny([]byte(original), ".eE") {
		return false
	}
	a, _ := strconv.ParseFloat(value, 64)
	b, _ := strconv.ParseFloat(original, 64)
	return a == b
}
