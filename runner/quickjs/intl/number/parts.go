package number

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// builder collects parts.
type builder struct{ parts []Part }

func (b *builder) add(kind, text string) {
	if text != "" {
		b.parts = append(b.parts, Part{Type: kind, Value: text})
	}
}

// worded adds a text with the type kind. Its outer white space becomes literals.
func (b *builder) worded(kind, text string) {
	word := strings.TrimFunc(text, blank)
	if word == "" {
		b.add(literal, text)
		return
	}
	before, after, _ := strings.Cut(text, word)
	b.add(literal, before)
	b.add(kind, word)
	b.add(literal, after)
}

func blank(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200e' || r == '\u200f' || r == '\u061c' || r == '\u202f'
}

// joined merges adjacent literals.
func joined(parts []Part) []Part {
	out := parts[:0]
	for _, p := range parts {
		if last := len(out) - 1; last >= 0 && p.Type == literal && out[last].Type == literal {
			out[last].Value += p.Value
			continue
		}
		out = append(out, p)
	}
	return out
}

// affix adds the tokens of a prefix or suffix.
func (f *Format) affix(b *builder, affix []token, compact bool) {
	for _, t := range affix {
		switch {
		case t.kind == "percentSign" && f.Style == "unit":
			b.add("unit", f.symbols[t.kind])
		case t.kind != literal:
			b.add(t.kind, f.symbols[t.kind])
		case compact:
			b.worded("compact", t.text)
		default:
			b.add(literal, t.text)
		}
	}
}

// space inserts a space between letters of a currency and adjacent digits, as in CHF 5. The
// number is b.parts[from:to].
func (f *Format) space(b *builder, from, to int) {
	if from == to || f.Style != "currency" {
		return
	}
	digit := func(r rune) bool { return unicode.IsDigit(r) }
	if to < len(b.parts) && b.parts[to].Type == "currency" {
		first, _ := utf8.DecodeRuneInString(b.parts[to].Value)
		last, _ := utf8.DecodeLastRuneInString(b.parts[to-1].Value)
		if lettered(first) && digit(last) {
			b.insert(to, f.numbers.At("currency", "afterCurrency"))
		}
	}
	if from > 0 && b.parts[from-1].Type == "currency" {
		last, _ := utf8.DecodeLastRuneInString(b.parts[from-1].Value)
		first, _ := utf8.DecodeRuneInString(b.parts[from].Value)
		if lettered(last) && digit(first) {
			b.insert(from, f.numbers.At("currency", "beforeCurrency"))
		}
	}
}

func (b *builder) insert(at int, text string) {
	if text != "" {
		b.parts = append(b.parts[:at], append([]Part{{Type: literal, Value: text}}, b.parts[at:]...)...)
	}
}

// lettered reports whether r matches [[:^S:]&[:^Z:]] of CLDR: neither a symbol nor a separator.
func lettered(r rune) bool { return !unicode.IsSymbol(r) && !unicode.In(r, unicode.Z) }
