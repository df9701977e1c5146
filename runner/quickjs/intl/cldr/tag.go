package cldr

import (
	"fmt"
	"slices"
	"strings"
)

// longestTag bounds the length of a language tag, in bytes. Tags in use are less than half as long.
const longestTag = 255

// Tag is a language tag in its canonical form.
type Tag struct {
	Base       string            // language, script, region, variants
	Keywords   map[string]string // keywords of the extension u
	attributes []string
	extensions []string // other extensions, sorted
}

// ParseTag parses a language tag of BCP 47 according to ECMA-402, and replaces deprecated
// codes.
func ParseTag(text string) (Tag, error) {
	bad := fmt.Errorf("invalid language tag: %.100s", text)
	if len(text) > longestTag {
		return Tag{}, bad
	}
	parts := strings.Split(strings.ToLower(text), "-")
	for _, part := range parts {
		if part == "" || len(part) > 8 || strings.ContainsFunc(part, func(r rune) bool { return !isAlnum(r) }) {
			return Tag{}, bad
		}
	}
	p := tagParser{rest: parts}
	if !p.base() || !p.extensions() || len(p.rest) > 0 {
		return Tag{}, bad
	}
	return p.tag(), nil
}

func isAlnum(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }

func isAlpha(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

func isDigits(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// tagParser parses the subtags in rest, from front to back.
type tagParser struct {
	rest                     []string
	language, script, region string
	variants                 []string
	keywords                 map[string]string
	attributes               []string
	others                   []string
}

func (p *tagParser) next(fits func(s string) bool) (string, bool) {
	if len(p.rest) == 0 || !fits(p.rest[0]) {
		return "", false
	}
	s := p.rest[0]
	p.rest = p.rest[1:]
	return s, true
}

func (p *tagParser) base() (ok bool) {
	p.language, ok = p.next(func(s string) bool { return isAlpha(s) && len(s) >= 2 && len(s) != 4 })
	if !ok {
		return false
	}
	p.script, _ = p.next(func(s string) bool { return isAlpha(s) && len(s) == 4 })
	p.region, _ = p.next(func(s string) bool { return isAlpha(s) && len(s) == 2 || isDigits(s) && len(s) == 3 })
	for {
		variant, ok := p.next(func(s string) bool { return len(s) >= 5 || len(s) == 4 && s[0] <= '9' })
		if !ok {
			slices.Sort(p.variants)
			return true
		}
		if slices.Contains(p.variants, variant) {
			return false
		}
		p.variants = append(p.variants, variant)
	}
}

func (p *tagParser) extensions() bool {
	seen := map[string]bool{}
	for len(p.rest) > 0 {
		single, ok := p.next(func(s string) bool { return len(s) == 1 })
		if !ok || seen[single] {
			return false
		}
		seen[single] = true
		switch single {
		case "x":
			p.others = append(p.others, "x-"+strings.Join(p.rest, "-"))
			ok, p.rest = len(p.rest) > 0, nil
		case "u":
			ok = p.unicode()
		default:
			ok = p.other(single)
		}
		if !ok {
			return false
		}
	}
	slices.SortFunc(p.others, func(a, b string) int { // x is last
		if (a[0] == 'x') != (b[0] == 'x') {
			return map[bool]int{true: 1, false: -1}[a[0] == 'x']
		}
		return strings.Compare(a, b)
	})
	return true
}

func (p *tagParser) other(single string) bool {
	subtags := []string{single}
	for {
		s, ok := p.next(func(s string) bool { return len(s) >= 2 })
		if !ok {
			break
		}
		subtags = append(subtags, s)
	}
	p.others = append(p.others, strings.Join(subtags, "-"))
	return len(subtags) > 1
}

// unicode parses the extension u: attributes, and then keys of two characters with values.
func (p *tagParser) unicode() bool {
	p.keywords = map[string]string{}
	for {
		attribute, ok := p.next(func(s string) bool { return len(s) >= 3 })
		if !ok {
			break
		}
		if !slices.Contains(p.attributes, attribute) {
			p.attributes = append(p.attributes, attribute)
		}
	}
	slices.Sort(p.attributes)
	for {
		key, ok := p.next(func(s string) bool { return len(s) == 2 && s[1] >= 'a' })
		if !ok {
			return len(p.keywords)+len(p.attributes) > 0
		}
		var values []string
		for {
			value, ok := p.next(func(s string) bool { return len(s) >= 3 })
			if !ok {
				break
			}
			values = append(values, value)
		}
		value := strings.Join(values, "-")
		if value == "true" || value == "yes" {
			value = ""
		}
		if _, twice := p.keywords[key]; !twice {
			p.keywords[key] = value
		}
	}
}

// tag returns the canonical tag. It applies aliases and the usual case.
func (p *tagParser) tag() Tag {
	if replacement := aliases()["language:"+p.language]; replacement != "" {
		parts := strings.Split(replacement, "-")
		p.language = parts[0]
		for _, part := range parts[1:] {
			switch {
			case len(part) == 4 && p.script == "":
				p.script = part
			case len(part) == 2 && p.region == "":
				p.region = part
			}
		}
	}
	script, region := "", strings.ToUpper(p.region)
	if p.script != "" {
		script = strings.ToUpper(p.script[:1]) + strings.ToLower(p.script[1:])
		if replacement := aliases()["script:"+script]; replacement != "" {
			script = replacement
		}
	}
	if replacement := aliases()["territory:"+region]; replacement != "" {
		region = replacement
	}
	parts := slices.DeleteFunc(append([]string{p.language, script, region}, p.variants...), func(part string) bool { return part == "" })
	return Tag{Base: strings.Join(parts, "-"), Keywords: p.keywords, attributes: p.attributes, extensions: p.others}
}

// String returns the canonical form.
func (t Tag) String() string {
	extensions := slices.Clone(t.extensions)
	if len(t.Keywords)+len(t.attributes) > 0 {
		u := append([]string{"u"}, t.attributes...)
		keys := make([]string, 0, len(t.Keywords))
		for key := range t.Keywords {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			u = append(u, key)
			if t.Keywords[key] != "" {
				u = append(u, t.Keywords[key])
			}
		}
		at := slices.IndexFunc(extensions, func(e string) bool { return e > "u" || e[0] == 'x' })
		if at < 0 {
			at = len(extensions)
		}
		extensions = slices.Insert(extensions, at, strings.Join(u, "-"))
	}
	return strings.Join(append([]string{t.Base}, extensions...), "-")
}
