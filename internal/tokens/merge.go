package tokens

import "math"

// shortPiece is the maximum length of pieces that are merged without allocation. The
// time grows with the square of the length.
const shortPiece = 64

// none is the rank of a text that is not a token.
const none = math.MaxUint32

// rankOr returns the rank of a token, or none.
func rankOr(text []byte) uint32 {
	if r, known := rank(text); known {
		return r
	}
	return none
}

// mergeShort returns the number of tokens in a piece. It starts with the single bytes and joins
// the two neighbours that form the token with the lowest rank, until no two form a token.
func mergeShort(piece []byte) int {
	var starts [shortPiece + 1]uint8 // start of each part, and the end of the last part
	var ranks [shortPiece + 1]uint32 // rank of each part joined with the next part
	parts := len(piece)
	for i := range parts + 1 {
		starts[i], ranks[i] = uint8(i), none //nolint:gosec // G602: a piece has at most shortPiece bytes
	}
	pair := func(i int) uint32 {
		if i < 0 || i+2 > parts {
			return none
		}
		return rankOr(piece[starts[i]:starts[i+2]])
	}
	for i := range parts - 1 {
		ranks[i] = pair(i)
	}
	for {
		best := 0
		for i := 1; i < parts; i++ {
			if ranks[i] < ranks[best] {
				best = i
			}
		}
		if ranks[best] == none {
			return parts
		}
		copy(starts[best+1:], starts[best+2:parts+1])
		copy(ranks[best+1:], ranks[best+2:parts+1])
		parts--
		ranks[best] = pair(best)
		if best > 0 {
			ranks[best-1] = pair(best - 1) //nolint:gosec // G602: best is not 0
		}
	}
}

// part is a part of a long piece, in a linked list.
type part struct {
	before, next int32  // starts of the neighbours; next is also the end of the part
	rank         uint32 // rank of the part joined with the next part
}

// pair is a part that can be joined with the next one. It is valid only while its rank
// is that of the part.
type pair struct {
	rank  uint32
	start int32
}

// pairs is a heap, whose first pair is to be joined next. Pairs of equal rank are in
// text order. container/heap would allocate memory for each pair.
type pairs []pair

func (p pairs) less(i, j int) bool {
	return p[i].rank < p[j].rank || p[i].rank == p[j].rank && p[i].start < p[j].start
}

func (p *pairs) push(x pair) {
	*p = append(*p, x)
	h := *p
	for i := len(h) - 1; i > 0; {
		above := (i - 1) / 2
		if !h.less(i, above) {
			return
		}
		h[i], h[above] = h[above], h[i]
		i = above
	}
}

func (p *pairs) pop() pair {
	h := *p
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; 2*i+1 < last; {
		below := 2*i + 1
		if below+1 < last && h.less(below+1, below) {
			below++
		}
		if !h.less(below, i) {
			break
		}
		h[i], h[below] = h[below], h[i]
		i = below
	}
	*p = h
	return top
}

// mergeLong is like mergeShort, for long pieces.
func mergeLong(piece []byte) int {
	size := int32(len(piece))
	parts := make([]part, size)
	ranked := func(i int32) uint32 {
		next := parts[i].next
		if next >= size {
			return none
		}
		return rankOr(piece[i:parts[next].next])
	}
	for i := range size {
		parts[i] = part{before: i - 1, next: i + 1}
	}
	waiting := make(pairs, 0, size)
	for i := range size {
		if parts[i].rank = ranked(i); parts[i].rank != none {
			waiting.push(pair{parts[i].rank, i})
		}
	}
	left := int(size)
	for len(waiting) > 0 {
		best := waiting.pop()
		p := &parts[best.start]
		if p.rank != best.rank {
			continue
		}
		gone := p.next
		p.next, parts[gone].rank = parts[gone].next, none
		if p.next < size {
			parts[p.next].before = best.start
		}
		left--
		for _, i := range [...]int32{best.start, p.before} {
			if i < 0 {
				continue
			}
			if parts[i].rank = ranked(i); parts[i].rank != none {
				waiting.push(pair{parts[i].rank, i})
			}
		}
	}
	return left
}
