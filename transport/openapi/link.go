package openapi

import "strings"

// link is one link in a Link header (RFC 8288).
type link struct {
	target string
	rel    string // relation types, separated by blanks
	anchor bool   // the link is about a resource other than the answer
}

// nextLink returns the target of the first link with the relation next, or "" if there is none.
func nextLink(headers []string) string {
	for _, header := range headers {
		for _, l := range links(header) {
			if !l.anchor && l.leads("next") {
				return l.target
			}
		}
	}
	return ""
}

func (l link) leads(to string) bool {
	for relation := range strings.FieldsSeq(l.rel) {
		if strings.EqualFold(relation, to) {
			return true
		}
	}
	return false
}

// links returns the links of one header, up to the first syntax error.
func links(header string) (all []link) {
	s := scanner{header}
	for {
		s.skip(" \t,")
		if !s.take('<') {
			return all
		}
		target, whole := s.until('>')
		if !whole {
			return all
		}
		l := link{target: strings.TrimSpace(target)}
		s.parameters(&l)
		all = append(all, l)
		if s.skip(" \t"); s.rest != "" && s.rest[0] != ',' {
			return all
		}
	}
}

// scanner parses a header from its start.
type scanner struct{ rest string }

// skip skips all bytes that are in set.
func (s *scanner) skip(set string) { s.rest = strings.TrimLeft(s.rest, set) }

// take skips b and returns true, if b is the next byte.
func (s *scanner) take(b byte) bool {
	if s.rest == "" || s.rest[0] != b {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// until returns the text before the next b, and skips both.
func (s *scanner) until(b byte) (text string, found bool) {
	text, s.rest, found = strings.Cut(s.rest, string(b))
	return text, found
}

// word returns the text before the next byte of ends, without blanks around it.
func (s *scanner) word(ends string) string {
	end := strings.IndexAny(s.rest, ends)
	if end < 0 {
		end = len(s.rest)
	}
	text := s.rest[:end]
	s.rest = s.rest[end:]
	return strings.Trim(text, " \t")
}

// parameters parses the parameters of a link. Of equal names, the first counts.
func (s *scanner) parameters(l *link) {
	known := false // rel is known
	for {
		if s.skip(" \t"); !s.take(';') {
			return
		}
		name, value := s.word("=;,"), ""
		if s.take('=') {
			if s.skip(" \t"); s.take('"') {
				value = s.quoted()
			} else {
				value = s.word(";,")
			}
		}
		switch {
		case strings.EqualFold(name, "anchor"):
			l.anchor = true
		case strings.EqualFold(name, "rel") && !known:
			l.rel, known = value, true
		}
	}
}

// quoted returns the text up to the closing quote, and skips both. A backslash escapes the next
// byte.
func (s *scanner) quoted() string {
	var out strings.Builder
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			s.rest = s.rest[i+1:]
			return out.String()
		case c == '\\' && i+1 < len(s.rest):
			i++
			out.WriteByte(s.rest[i])
		default:
			out.WriteByte(c)
		}
	}
	s.rest = ""
	return out.String()
}
