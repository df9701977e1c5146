package rawjson_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// TestTooDeep checks each text as a whole, and in pieces of several sizes.
func TestTooDeep(t *testing.T) {
	most := strings.Repeat("[", rawjson.MaxDepth)
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"the maximum", most + strings.Repeat("]", rawjson.MaxDepth), false},
		{"one more", most + "[", true},
		{"one more, of objects", strings.Repeat(`{"a":`, rawjson.MaxDepth+1), true},
		{"wide", "[" + strings.Repeat(`{"a":[]},`, 2*rawjson.MaxDepth) + "0]", false},
		{"brackets in a string", most + `"[{"`, false},
		{"brackets after a string", most + `"x"[`, true},
		{"brackets after an escaped quote", most + `"\"[{\\\"["`, false},
		{"brackets after an escaped backslash", most + `"\\"[`, true},
		{"a backslash outside of strings", most + `\[`, true},
		{"nothing", "", false},
	} {
		for _, size := range []int{1, 2, 3, 7, 4096, len(c.text) + 1} {
			var meter rawjson.Meter
			got := false
			for rest := c.text; rest != "" && !got; {
				n := min(size, len(rest))
				got = meter.TooDeep([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got != c.want {
				t.Errorf("%s, in pieces of %d bytes: %t, want %t", c.name, size, got, c.want)
			}
		}
	}
}
