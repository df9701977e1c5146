package redact

import (
	"maps"
	"slices"
	"strings"
)

// MinSecret is the length of the shortest secret that New replaces, in bytes. A shorter secret may
// be a part of ordinary words.
const MinSecret = 8

// Secrets replaces a set of secrets in texts. A nil *Secrets replaces nothing.
type Secrets struct {
	begin [256][]*needle       // the needles that can begin with a byte of the text
	pairs [1 << 16 / 64]uint64 // a set of pairs of bytes with which a secret may begin, one bit for each pair
}

// New returns a Secrets for a map from names to secrets. The names replace the secrets. New
// returns nil if no secret is long enough.
func New(named map[string]string) *Secrets { return NewFrom(MinSecret, named) }

// NewFrom is like New, but replaces secrets of at least shortest bytes. It is for texts in which short
// secrets cannot be parts of ordinary words. Secrets shorter than MinSecret are not found in base64 or
// hexadecimal.
func NewFrom(shortest int, named map[string]string) *Secrets {
	s := &Secrets{}
	names := slices.Sorted(maps.Keys(named))
	slices.SortStableFunc(names, func(a, b string) int { return len(named[b]) - len(named[a]) }) // a secret may contain another
	found := false
	for _, name := range names {
		for _, n := range needles(name, named[name], max(shortest, 2)) {
			s.add(n)
			found = true
		}
	}
	if !found {
		return nil
	}
	return s
}

func (s *Secrets) add(n *needle) {
	for b := range len(s.begin) {
		if n.fold[b] != n.want[0] {
			continue
		}
		s.begin[b] = append(s.begin[b], n)
		for next := range 256 {
			if n.fold[next] == n.want[1] || n.between(1, byte(next)) || special[next] {
				pair := b<<8 | next
				s.pairs[pair/64] |= 1 << (pair % 64)
			}
		}
	}
}

// may reports whether a secret can begin at a position of the text.
func (s *Secrets) may(text string, at int) bool {
	if special[text[at]] {
		return true
	}
	if at+1 >= len(text) {
		return false
	}
	pair := int(text[at])<<8 | int(text[at+1])
	return s.pairs[pair/64]&(1<<(pair%64)) != 0
}

// Replace returns the text with each secret replaced by its name.
func (s *Secrets) Replace(text string) string { return s.replace(text, false) }

// ReplaceCut is like Replace, for a text whose end is missing: it also replaces the beginning of a
// secret at the end of the text.
func (s *Secrets) ReplaceCut(text string) string { return s.replace(text, true) }

func (s *Secrets) replace(text string, cut bool) string {
	if s == nil || text == "" {
		return text
	}
	found := s.find(text, cut)
	if len(found) == 0 {
		return text
	}
	var out strings.Builder
	at := 0
	for _, f := range found {
		out.WriteString(text[at:f.from])
		out.WriteString(f.name)
		at = f.to
	}
	out.WriteString(text[at:])
	return out.String()
}

// span is a part of a text that is a secret.
type span struct {
	from, to int
	name     string
}

// maxLayers is the maximum number of layers of escapes that find decodes, such as JSON in JSON in a
// URL. The matcher itself decodes one more layer.
const maxLayers = 3

// find returns the spans of the secrets in a text, in order and without overlaps.
func (s *Secrets) find(text string, cut bool) []span {
	all := s.scan(text, cut)
	layer := decoded{text: text}
	for range maxLayers {
		inner, changed := layer.decode()
		if !changed {
			break
		}
		layer = inner
		for _, f := range s.scan(layer.text, cut) {
			f.from, f.to = layer.origin(f.from), layer.origin(f.to)
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return a.from - b.from })
	apart := all[:0]
	for _, f := range all {
		if last := len(apart) - 1; last >= 0 && f.from < apart[last].to {
			apart[last].to = max(apart[last].to, f.to)
			continue
		}
		apart = append(apart, f)
	}
	return apart
}

// scan returns the spans in one layer of a text.
func (s *Secrets) scan(text string, cut bool) (found []span) {
	for at := 0; at < len(text); at++ {
		if !s.may(text, at) {
			continue
		}
		if f, ok := s.match(text, at, cut); ok {
			found = append(found, f)
			at = f.to - 1
		}
	}
	return found
}

// match returns the longest secret that begins at a position.
func (s *Secrets) match(text string, at int, cut bool) (best span, ok bool) {
	var some [maxAtoms]atom
	for _, a := range atoms(some[:0], text, at) {
		if a.bytes == "" { // a secret does not begin with an invisible atom
			continue
		}
		for _, n := range s.begin[a.bytes[0]] {
			if to := n.match(text, at, cut); to > best.to {
				best, ok = span{at, to, n.name}, true
			}
		}
	}
	return best, ok
}
