package codegen

// visit is how far finish has come with an alias.
type visit uint8

const (
	unvisited visit = iota
	visiting
	visited
)

// maxWidth bounds how many alternatives an intersection multiplies out to.
// TypeScript gives up at 100,000 (TS2590), after seconds.
const maxWidth = 1000

// finish makes the declarations ones that TypeScript accepts: no alias means
// itself (TS2456), and no intersection of unions explodes (TS2590).
func (c *converter) finish() {
	for _, a := range c.order {
		acyclic(a)
	}
	for _, a := range c.order {
		c.narrow(a.typ, a.at)
	}
}

// acyclic drops from a, and from all it is made of without an object or array
// between, the references that lead back to it. R = R | string says no more
// than R = string.
func acyclic(a *alias) {
	if a.state != unvisited {
		return
	}
	a.state = visiting
	if a.typ = direct(a.typ); a.typ == nil {
		a.typ = unknown // a means b means a
	}
	a.state = visited
}

// direct is t without the references to aliases that are being visited, nil
// when nothing is left.
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

// narrow cuts every intersection in t where it would multiply out too far.
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

// width is the number of alternatives of t, at most a little over maxWidth. It
// follows direct references only, and those have no cycles any more.
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
