package redact

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"sync"
)

// needle is one form of a secret to search for.
type needle struct {
	name string
	want string                   // bytes of the form, after fold
	fold *[256]byte               // maps bytes with the same meaning to one of them
	gap  func(k int, b byte) bool // reports whether b may stand between the bytes k-1 and k; nil: no byte may
}

// needles returns the forms of a secret: its bytes, each of its lines (because a log may show
// only one of them), base64 and hexadecimal.
func needles(name, secret string, shortest int) (all []*needle) {
	plain := func(text string) {
		if len(text) >= shortest {
			all = append(all, &needle{name: name, want: text, fold: same()})
		}
	}
	plain(secret)
	if len(secret) < MinSecret {
		return all
	}
	inner := decoded{text: secret} // if the secret contains what looks like escapes, an inner layer of a text has the decoded form
	for changed := true; changed && len(all) <= maxLayers; {
		if inner, changed = inner.decode(); changed {
			plain(inner.text)
		}
	}
	if strings.ContainsRune(secret, '\n') {
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
				plain(line)
			}
		}
	}
	for before := range 3 {
		all = append(all, &needle{name: name, want: inBase64(secret, before), fold: foldBase64(), gap: lineBreak})
	}
	return append(all, &needle{name: name, want: hex.EncodeToString([]byte(secret)), fold: foldHex(), gap: hexGap})
}

// inBase64 returns the characters in the base64 of a secret that do not depend on the bytes
// around it. They depend on the number of bytes before the secret, as in the encoded header
// "USER:SECRET".
func inBase64(secret string, before int) string {
	text := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), secret...))
	// A character encodes six bits. Drop the characters that also encode bits of the bytes around.
	from, to := (8*before+5)/6, 8*(before+len(secret))/6
	return text[from:to]
}

var same = sync.OnceValue(func() *[256]byte {
	var t [256]byte
	for b := range t {
		t[b] = byte(b)
	}
	return &t
})

// foldBase64 maps the alphabet of URLs to the standard one.
var foldBase64 = sync.OnceValue(func() *[256]byte {
	t := *same()
	t['-'], t['_'] = '+', '/'
	return &t
})

// foldHex maps upper-case digits to lower case.
var foldHex = sync.OnceValue(func() *[256]byte {
	t := *same()
	for b := byte('A'); b <= 'F'; b++ {
		t[b] = b + 'a' - 'A'
	}
	return &t
})

// lineBreak allows line breaks in base64, with indented lines.
func lineBreak(_ int, b byte) bool { return b == '\n' || b == '\r' || b == ' ' || b == '\t' }

// hexGap allows separators between hexadecimal bytes, as in 61:62, 61 62 or 0x61, 0x62.
func hexGap(k int, b byte) bool { return k%2 == 0 && strings.IndexByte(":-, \t\r\n0xX\\", b) >= 0 }

const (
	maxGap  = 8  // bytes in a gap
	maxWork = 16 // steps for each byte of a needle; only a text made to waste time needs more
)

// state is a position in the text and a position in the needle. gap counts the bytes of the current gap.
type state struct{ at, k, gap int }

// match returns the end of the needle that begins at from in the text; 0 if the needle does not begin there.
func (n *needle) match(text string, from int, cut bool) (end int) {
	at, k := from, 0
	for ; k < len(n.want) && at < len(text) && !special[text[at]]; at, k = at+1, k+1 { // decides most positions
		if n.between(k, text[at]) {
			break
		}
		if n.fold[text[at]] != n.want[k] {
			return 0
		}
	}
	if k == len(n.want) {
		return at
	}
	return n.matchOn(text, state{at: at, k: k}, cut)
}

// between reports whether a byte may be between the bytes k-1 and k of the needle.
func (n *needle) between(k int, b byte) bool { return n.gap != nil && k > 0 && n.gap(k, b) }

// matchOn continues match from a state. An escape can have several meanings, so one position can lead to
// several states.
func (n *needle) matchOn(text string, from state, cut bool) (end int) {
	var buffer [8]state
	pending := append(buffer[:0], from)
	var seen map[state]struct{} // states that were reached from positions with several meanings
	for work := maxWork * len(n.want); len(pending) > 0 && work > 0; work-- {
		s := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		switch {
		case s.k == len(n.want):
			end = max(end, s.at)
			continue
		case cut && s.k >= MinSecret && broken(text[s.at:]):
			end = len(text)
			continue
		}
		before := len(pending)
		var some [maxAtoms]atom
		for _, a := range atoms(some[:0], text, s.at) {
			if next, ok := n.step(s, a); ok {
				pending = append(pending, next)
			}
			if next, ok := n.skip(s, a); ok {
				pending = append(pending, next)
			}
		}
		if len(pending)-before < 2 {
			continue
		}
		if seen == nil {
			seen = map[state]struct{}{}
		}
		kept := pending[:before]
		for _, next := range pending[before:] {
			if _, again := seen[next]; !again {
				seen[next] = struct{}{}
				kept = append(kept, next)
			}
		}
		pending = kept
	}
	return end
}

// step consumes an atom that matches the next bytes of the needle. ok is false if it does not match.
func (n *needle) step(s state, a atom) (next state, ok bool) {
	if a.bytes == "" {
		return state{s.at + a.size, s.k, s.gap}, s.k > 0
	}
	if len(a.bytes) > len(n.want)-s.k {
		return next, false
	}
	for i := range len(a.bytes) {
		if n.fold[a.bytes[i]] != n.want[s.k+i] {
			return next, false
		}
	}
	return state{s.at + a.size, s.k + len(a.bytes), 0}, true
}

// skip consumes an atom that may stand between two bytes of the needle. ok is false if it may not.
func (n *needle) skip(s state, a atom) (next state, ok bool) {
	if s.gap >= maxGap || len(a.bytes) != 1 || !n.between(s.k, a.bytes[0]) {
		return next, false
	}
	return state{s.at + a.size, s.k, s.gap + 1}, true
}

// broken reports whether a text is empty, or may be the beginning of an escape.
func broken(rest string) bool {
	return rest == "" || len(rest) < maxEscape && strings.IndexByte(`%\&`+"\x1b", rest[0]) >= 0
}
