package terminal

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{`[1,2,3]`, 7, `[1,2,3]`},
		{`[1,2,3,4,5,6]`, 6, `[1,2,3,"… 3 more"]`},
		{`[[1,2],[3,4],[5,6]]`, 9, `[[1,2],[3,"… 1 more"],"… 1 more"]`},
		{`{"a":1,"b":2,"c":{"d":[1]}}`, 12, `{"a":1,"b":2,"…":"1 more"}`},
		{`{"a":{"b":{"c":1,"d":2}},"e":3}`, 20, `{"a":{"b":{"c":1,"…":"1 more"}},"…":"1 more"}`},
		{`[{"a":1},2]`, 1, `"… [11 bytes]"`},
		{`{"key":123456789}`, 10, `{"…":"1 more"}`},
		{`"` + strings.Repeat("ä", 50) + `"`, 50, `"` + strings.Repeat("ä", 24) + `… [52 more bytes]"`},
		{`["` + strings.Repeat("x", 60) + `",1,2]`, 52, `["` + strings.Repeat("x", 50) + `… [10 more bytes]","… 2 more"]`},
		{`["` + strings.Repeat(`\n`, 60) + `"]`, 50, `["` + strings.Repeat(`\n`, 24) + `… [72 more bytes]"]`},
		{`["` + strings.Repeat(`\ud83d\ude00`, 10) + `"]`, 50, `["` + strings.Repeat(`\ud83d\ude00`, 4) + `… [72 more bytes]"]`},
	} {
		if got, _ := cut([]byte(tt.text), tt.most); string(got) != tt.want {
			t.Errorf("%s at %d:\n%s\nwant\n%s", tt.text, tt.most, got, tt.want)
		}
	}
}

// A shortened value is valid JSON and begins like the whole value.
func TestCutIsJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		text, err := json.Marshal(anyValue(random, 5))
		if err != nil {
			t.Fatal(err)
		}
		for most := 0; most < len(text); most += 1 + random.IntN(9) {
			short, read := cut(text, most)
			if !json.Valid(short) || !utf8.Valid(short) {
				t.Fatalf("%s at %d is no JSON: %s", text, most, short)
			}
			if read < 0 || read > len(text) || !bytes.HasPrefix(short, bytes.TrimRight(text[:read], ",")) {
				t.Fatalf("%s at %d begins in another way up to %d: %s", text, most, read, short)
			}
		}
	}
}

func anyValue(random *rand.Rand, depth int) any {
	switch n := random.IntN(6); {
	case n == 0 && depth > 0:
		object := map[string]any{}
		for range random.IntN(5) {
			object[anyText(random)] = anyValue(random, depth-1)
		}
		return object
	case n <= 2 && depth > 0:
		array := []any{}
		for range random.IntN(5) {
			array = append(array, anyValue(random, depth-1))
		}
		return array
	case n == 3:
		return random.IntN(100000)
	case n == 4:
		return nil
	}
	return anyText(random)
}

func anyText(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(60) {
		b.WriteRune([]rune("a\n\"\\ä日😀\u2028\x01:,]}")[random.IntN(13)])
	}
	return b.String()
}
