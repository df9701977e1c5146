package collation

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/collate"
)

// script is a range of the primary weights of package collate: [from, to). The tables
// of that package are those of CLDR 23 for good, so the weights are constant.
type script struct{ from, to int }

var (
	latin    = script{0x15ef, 0x1929}
	cyrillic = script{0x1991, 0x1b9c}
	hangul   = script{0x3156, 0x32bb}
	kana     = script{0x32bb, 0x32ed}
	bopomofo = script{0x32ed, 0x3340}
	// Ideographs with a place in the language are before the others.
	ordered = script{0x160000, 0x200000}
	others  = script{0x14e00, 0x5e000}
)

// firstLetter is the least weight of a letter. Digits and symbols are before it in all
// languages.
const firstLetter = 0x15ef

// scriptsOf returns the scripts that a language has before all others, which package
// collate does not know.
func scriptsOf(locale string) []script {
	language, rest, _ := strings.Cut(locale, "-")
	switch language {
	case "ru":
		return []script{cyrillic}
	case "ja":
		return []script{latin, kana, ordered, others}
	case "ko":
		return []script{hangul, ordered, others}
	case "zh":
		if strings.HasPrefix(rest, "Hant") || slices.Contains([]string{"TW", "HK", "MO"}, rest) {
			return []script{ordered, others, bopomofo}
		}
		return []script{ordered, others}
	}
	return nil
}

// compareScripts compares two texts by keys. A key begins with the primary weights.
func compareScripts(scripts []script, with *collate.Collator, a, b string) int {
	var buffer collate.Buffer
	x := with.KeyFromString(&buffer, a)
	y := with.KeyFromString(&buffer, b)
	for {
		var p, q int
		p, x = primary(x)
		q, y = primary(y)
		if p != q {
			return cmp.Or(cmp.Compare(rank(scripts, p), rank(scripts, q)), cmp.Compare(p, q))
		}
		if p == 0 {
			return bytes.Compare(x, y)
		}
	}
}

// primary takes a weight from the front of a key, 0 at the end of the weights. Large
// ones have three bytes.
func primary(key []byte) (weight int, rest []byte) {
	switch {
	case len(key) < 2:
		return 0, nil
	case key[0]&0x80 == 0:
		return int(key[0])<<8 | int(key[1]), key[2:]
	case len(key) < 3:
		return 0, nil
	}
	return int(key[0]&0x7f)<<16 | int(key[1])<<8 | int(key[2]), key[3:]
}

func rank(scripts []script, weight int) int {
	if weight < firstLetter {
		return -1
	}
	for i, s := range scripts {
		if weight >= s.from && weight < s.to {
			return i
		}
	}
	return len(scripts)
}
