// Package collation compares texts as Intl.Collator does.
package collation

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Options are those of Intl.Collator.
type Options struct {
	Sensitivity       string `json:"sensitivity"` // base, accent, case or variant
	IgnorePunctuation bool   `json:"ignorePunctuation"`
	Numeric           bool   `json:"numeric"`
	CaseFirst         string `json:"caseFirst"` // upper, lower or false
}

// Collator compares texts. It may be used by several goroutines.
type Collator struct {
	Options
	scripts             []script
	base, accent, exact level
}

// level compares texts by some of their properties. Its collators are for one
// goroutine at a time.
type level struct{ *sync.Pool }

// New prepares a collator.
func New(locale string, o Options) *Collator {
	if locale == "fr-CA" {
		locale += "-u-kb-true" // the last accent decides
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
		Options: o, scripts: scriptsOf(locale),
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

// byCase compares the case of letters.
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

// isUpper reports whether a letter is of upper case. Japanese letters are, but for the
// small ones.
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

// withoutPunctuation removes punctuation and blanks, and the marks on them.
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
