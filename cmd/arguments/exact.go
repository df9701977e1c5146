package arguments

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Inexact returns the first integer of a JSON value that JavaScript cannot represent, such as
// 9007199254740993, or "". A script would receive another number.
func Inexact(value json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return "" // the end
		}
		if n, is := token.(json.Number); is && !strings.ContainsAny(n.String(), ".eE") && !exact(n.String()) {
			return n.String()
		}
	}
}

// exact reports whether a float64 represents an integer.
func exact(text string) bool {
	want, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return false
	}
	nearest, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false // too large
	}
	got, _ := big.NewFloat(nearest).Int(nil)
	return got.Cmp(want) == 0
}
