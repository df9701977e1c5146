package intl

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/collate"
)

// script is a range of the primary weights of package collate: [from, to). The tables of that
// package stay at CLDR 23, so the weights are constant.
type script struct{ from, to int }

var (
	latin    = script{0x15ef, 0x1929}
	cyrillic = script{0x1991, 0x1b9c}
	hangul   = script{0x3156, 0x32bb}
	kana     = script{0x32bb, 0x32ed}
	bopomofo = script{0x32ed, 0x3340}
	// Ideographs that the language orders are before the others.
	ordered = script{0x160000, 0x200000}
	others  = script{0x14e00, 0x5e000}
)

// firstLetter is the smallest weight of a letter. In all languages, digits and symbols are
// before letters.
const firstLetter = 0x15ef

// scriptsOf returns the scripts that a language sorts before all others. Package collate does
// not reorder scripts.
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

// compareScripts compares two texts by their keys. A key begins with the primary weights.
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

// primary splits a weight off the front of a key. The weight is 0 at the end of the weights.
// Large weights have three bytes, others two.
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
