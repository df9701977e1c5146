package codegen

// visit is the state of an alias during finish.
type visit uint8

const (
	unvisited visit = iota
	visiting
	visited
)

// maxWidth is the maximum number of alternatives of an intersection of unions.
// TypeScript fails at 100,000 (TS2590), after seconds.
const maxWidth = 1000

// finish changes the declarations until TypeScript accepts them: no alias refers
// directly to itself (TS2456), and no intersection of unions has too many
// alternatives (TS2590).
func (c *converter) finish() {
	for _, a := range c.order {
		acyclic(a)
	}
	for _, a := range c.order {
		c.narrow(a.typ, a.at)
	}
}

// acyclic removes the references in a that lead back to a without an object or array in
// between: it turns R = R | string into R = string, which means the same.
func acyclic(a *alias) {
	if a.state != unvisited {
		return
	}
	a.state = visiting
	if a.typ = direct(a.typ); a.typ == nil {
		a.typ = unknown // the alias has no other meaning
	}
	a.state = visited
}

// direct returns t without references to aliases that are being visited. It returns nil if
// no part of t is left.
func direct(t *typ) *typ {
	switch t.op {
	case opRef:
		if t.ref.state == visiting {
			return nil
		}
		acyclic(t.ref)
		return t
	case opUnion, opIntersection:
		kept := make([]*typ, 0, len(t.parts))
		for _, p := range t.parts {
			if p = direct(p); p != nil {
				kept = append(kept, p)
			}
		}
		return combine(t.op, kept, nil)
	default:
		return t
	}
}

// narrow replaces every intersection in t that has too many alternatives by a simpler type.
func (c *converter) narrow(t *typ, at *path) {
	if t.op == opIntersection {
		product := width(t.parts[0])
		for i, p := range t.parts[1:] {
			if product *= width(p); product > maxWidth {
				c.warn(at, "more than %d combinations of alternatives", maxWidth)
				t.parts = t.parts[:i+1]
				break
			}
		}
	}
	for _, p := range t.parts {
		c.narrow(p, at)
	}
	for _, p := range t.props {
		c.narrow(p.typ, at)
	}
	if t.rest != nil {
		c.narrow(t.rest, at)
	}
}

// width returns the number of alternatives of t, at most a little over maxWidth. It
// follows direct references only; these have no cycles.
func width(t *typ) int {
	switch t.op {
	case opRef:
		if t.ref.width == 0 {
			t.ref.width = width(t.ref.typ)
		}
		return t.ref.width
	case opUnion:
		sum := 0
		for _, p := range t.parts {
			sum = min(sum+width(p), maxWidth+1)
		}
		return sum
	case opIntersection:
		product := 1
		for _, p := range t.parts {
			product = min(product*width(p), maxWidth+1)
		}
		return product
	default:
		return 1
	}
}
