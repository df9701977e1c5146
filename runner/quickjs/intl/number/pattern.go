package number

import "strings"

// pattern is a number pattern of CLDR, such as ¤#,##0.00;(¤#,##0.00)
type pattern struct {
	positive, negative [2][]token // prefix and suffix
	hasNegative        bool       // the pattern has a part for negative numbers
	primary, secondary int        // sizes of the last and of other groups; 0: no groups
	zeros              int        // required digits before the point
	compact            bool
	noNumber           bool // the pattern is only a word
}

// token is a piece of an affix: a symbol by its type of part, or a literal.
type token struct{ kind, text string }

const literal = "literal"

var special = map[rune]string{'¤': "currency", '%': "percentSign", '-': "minusSign", '+': "plusSign"}

func parsePattern(text string) pattern {
	positive, negative, has := cutUnquoted(text, ';')
	p := pattern{hasNegative: has}
	prefix, number, suffix := splitPattern(positive)
	p.positive = [2][]token{tokens(prefix), tokens(suffix)}
	p.noNumber = number == ""
	whole, _, _ := strings.Cut(number, ".")
	groups := strings.Split(whole, ",")
	if n := len(groups); n > 1 {
		p.primary = len(groups[n-1])
		p.secondary = p.primary
		if n > 2 {
			p.secondary = len(groups[n-2])
		}
	}
	p.zeros = strings.Count(whole, "0")
	if has {
		prefix, _, suffix := splitPattern(negative)
		p.negative = [2][]token{tokens(prefix), tokens(suffix)}
	}
	return p
}

// cutUnquoted cuts text at the first at outside of quotes.
func cutUnquoted(text string, at rune) (before, after string, found bool) {
	quoted := false
	for i, r := range text {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == at && !quoted:
			return text[:i], text[i+len(string(r)):], true
		}
	}
	return text, "", false
}

// splitPattern splits a pattern at its digits.
func splitPattern(text string) (prefix, number, suffix string) {
	start, end, quoted := -1, -1, false
	for i, r := range text {
		switch {
		case r == '\'':
			quoted = !quoted
		case !quoted && strings.ContainsRune("#0.,", r) && (start >= 0 || r == '#' || r == '0') && (end < 0 || end == i):
			if start < 0 {
				start = i
			}
			end = i + 1
		}
	}
	if start < 0 {
		return text, "", ""
	}
	return text[:start], text[start:end], text[end:]
}

func tokens(affix string) (all []token) {
	text, quoted := "", false
	flush := func() {
		if text != "" {
			all = append(all, token{literal, text})
		}
		text = ""
	}
	for i, r := range affix {
		kind := special[r]
		switch {
		case r == '\'' && strings.HasPrefix(affix[i+1:], "'"):
			text += "'"
			quoted = !quoted
		case r == '\'':
			quoted = !quoted
		case kind != "" && !quoted:
			flush()
			all = append(all, token{kind, ""})
		default:
			text += string(r)
		}
	}
	flush()
	return all
}

// affixes returns the prefix and suffix for a sign.
func (p pattern) affixes(sign byte) (prefix, suffix []token) {
	has := func(kind string) bool {
		for _, affix := range p.negative {
			for _, t := range affix {
				if t.kind == kind {
					return true
				}
			}
		}
		return false
	}
	own := p.hasNegative && (sign == '-' || sign == '+' && has("minusSign"))
	switch {
	case own && sign == '-':
		return p.negative[0], p.negative[1]
	case own:
		return replaced(p.negative[0]), replaced(p.negative[1])
	case sign == '-':
		return append([]token{{"minusSign", ""}}, p.positive[0]...), p.positive[1]
	case sign == '+':
		return append([]token{{"plusSign", ""}}, p.positive[0]...), p.positive[1]
	}
	return p.positive[0], p.positive[1]
}

// replaced returns affix with a plus sign for each minus sign.
func replaced(affix []token) (all []token) {
	for _, t := range affix {
		if t.kind == "minusSign" {
			t.kind = "plusSign"
		}
		all = append(all, t)
	}
	return all
}
