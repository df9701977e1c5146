package intl

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Collation are the options of Intl.Collator.
type Collation struct {
	Sensitivity       string `json:"sensitivity"` // base, accent, case or variant
	IgnorePunctuation bool   `json:"ignorePunctuation"`
	Numeric           bool   `json:"numeric"`
	CaseFirst         string `json:"caseFirst"` // upper, lower or false
}

// Collator compares texts. It is safe for concurrent use.
type Collator struct {
	Collation
	scripts             []script
	base, accent, exact level
}

// level compares texts at one level of sensitivity. It is a pool, because a collate.Collator
// is not safe for concurrent use.
type level struct{ *sync.Pool }

// NewCollator returns a collator for a locale.
func NewCollator(locale string, o Collation) *Collator {
	if locale == "fr-CA" {
		locale += "-u-kb-true" // compare accents from the end
	}
	tag, err := language.Parse(locale)
	if err != nil {
		tag = language.Und
	}
	of := func(options ...collate.Option) level {
		if o.Numeric {
			options = append(options, collate.Numeric)
		}
		return level{&sync.Pool{New: func() any { return collate.New(tag, options...) }}}
	}
	return &Collator{
		Collation: o, scripts: scriptsOf(locale),
		base: of(collate.IgnoreDiacritics, collate.IgnoreCase), accent: of(collate.IgnoreCase), exact: of(),
	}
}

// Compare returns -1, 0 or 1.
func (c *Collator) Compare(a, b string) int {
	if a == b {
		return 0
	}
	if c.IgnorePunctuation {
		a, b = withoutPunctuation(a), withoutPunctuation(b)
	}
	switch {
	case c.Sensitivity == "base":
		return c.by(c.base, a, b)
	case c.Sensitivity == "accent":
		return c.by(c.accent, a, b)
	case c.Sensitivity == "case":
		if order := c.by(c.base, a, b); order != 0 {
			return order
		}
		return c.byCase(a, b)
	case c.CaseFirst != "upper" && c.CaseFirst != "lower":
		return c.by(c.exact, a, b)
	}
	if order := c.by(c.accent, a, b); order != 0 {
		return order
	}
	if order := c.byCase(a, b); order != 0 {
		return order
	}
	return c.by(c.exact, a, b)
}

func (c *Collator) by(l level, a, b string) int {
	with := l.Get().(*collate.Collator)
	defer l.Put(with)
	if c.scripts == nil {
		return with.CompareString(a, b)
	}
	return compareScripts(c.scripts, with, a, b)
}

// byCase compares two texts by the case of their letters.
func (c *Collator) byCase(a, b string) int {
	order := 1
	if c.CaseFirst == "upper" {
		order = -1
	}
	x, y := withoutMarks(a), withoutMarks(b)
	for i := range min(len(x), len(y)) {
		if upper := isUpper(x[i]); upper != isUpper(y[i]) {
			if upper {
				return order
			}
			return -order
		}
	}
	return 0
}

const smallKana = "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ"

// isUpper reports whether a letter is upper case. Kana count as upper case, except small
// kana.
func isUpper(r rune) bool {
	return unicode.IsUpper(r) || unicode.In(r, unicode.Hiragana, unicode.Katakana) && !strings.ContainsRune(smallKana, r)
}

func withoutMarks(text string) (runes []rune) {
	for _, r := range text {
		if !unicode.IsMark(r) {
			runes = append(runes, r)
		}
	}
	return runes
}

// withoutPunctuation removes punctuation and white space, and the marks on them.
func withoutPunctuation(text string) string {
	removed := false
	return strings.Map(func(r rune) rune {
		removed = unicode.IsPunct(r) || unicode.IsSpace(r) || removed && unicode.IsMark(r)
		if removed {
			return -1
		}
		return r
	}, text)
}
