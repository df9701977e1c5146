package codegen

import "strings"

// style is the layout of a type.
type style uint8

const (
	bare  style = iota // on one line, without comments
	line               // on one line, with comments
	block              // one property per line
)

// printer writes types into one builder. It writes every text only once, so that the cost
// does not grow with the depth.
type printer struct {
	out      *strings.Builder
	style    style
	describe int  // characters to keep of each description
	input    bool // the type is the type of arguments
	indent   int
}

// precedence orders type expressions by how tightly they bind.
type precedence uint8

const (
	lowest precedence = iota
	inIntersection
	postfix
)

// typ writes t, in parentheses if its precedence is below want.
func (p *printer) typ(t *typ, want precedence) {
	if t.op == opRef && t.ref.inlined() {
		p.typ(t.ref.typ, want)
		return
	}
	if t.precedence() < want {
		p.out.WriteByte('(')
		defer p.out.WriteByte(')')
	}
	switch t.op {
	case opWord:
		p.out.WriteString(t.word)
	case opRef:
		p.out.WriteString(t.ref.name)
	case opUnion:
		p.joined(t.parts, " | ", inIntersection)
	case opIntersection:
		p.joined(t.parts, " & ", postfix)
	case opArray:
		p.typ(t.parts[0], postfix)
		p.out.WriteString("[]")
	case opTuple:
		p.tuple(t)
	case opObject:
		p.object(t)
	}
}

// precedence returns the precedence of the operator of t.
func (t *typ) precedence() precedence {
	switch t.op {
	case opUnion:
		return lowest
	case opIntersection:
		return inIntersection
	default:
		return postfix
	}
}

func (p *printer) joined(parts []*typ, operator string, want precedence) {
	for i, part := range parts {
		if i > 0 {
			p.out.WriteString(operator)
		}
		p.typ(part, want)
	}
}

func (p *printer) tuple(t *typ) {
	p.out.WriteByte('[')
	for i, part := range t.parts {
		if i > 0 {
			p.out.WriteString(", ")
		}
		if i < t.least {
			p.typ(part, lowest)
		} else {
			p.typ(part, postfix)
			p.out.WriteByte('?')
		}
	}
	if t.rest != nil {
		if len(t.parts) > 0 {
			p.out.WriteString(", ")
		}
		p.out.WriteString("...")
		p.typ(t.rest, postfix)
		p.out.WriteString("[]")
	}
	p.out.WriteByte(']')
}

func (p *printer) object(t *typ) {
	if len(t.props) == 0 && t.rest == nil {
		p.out.WriteString("{}")
		return
	}
	p.out.WriteByte('{')
	p.indent++
	for i, m := range t.props {
		p.startMember(i)
		p.document(m.key, m.schema, m.rules)
		p.out.WriteString(key(m.key))
		if m.optional {
			p.out.WriteByte('?')
		}
		p.out.WriteString(": ")
		p.typ(m.typ, lowest)
		p.endMember(i == len(t.props)-1 && t.rest == nil)
	}
	if t.rest != nil {
		p.startMember(len(t.props))
		p.out.WriteString("[key: string]: ")
		p.typ(t.rest, lowest)
		p.endMember(true)
	}
	p.indent--
	if p.style == block {
		p.tabs()
	}
	p.out.WriteByte('}')
}

func (p *printer) startMember(i int) {
	if p.style != block {
		p.out.WriteByte(' ')
		return
	}
	if i == 0 {
		p.out.WriteByte('\n')
	}
	p.tabs()
}

func (p *printer) endMember(last bool) {
	switch {
	case p.style == block:
		p.out.WriteString(";\n")
	case last:
		p.out.WriteByte(' ')
	default:
		p.out.WriteByte(';')
	}
}

func (p *printer) tabs() {
	for range p.indent {
		p.out.WriteString("  ")
	}
}

// key returns a property name as TypeScript source, quoted if necessary.
func key(name string) string {
	if plainKey(name) {
		return name
	}
	return quote(name)
}

// inlined reports whether the printer replaces references to a by its type. It does so for
// names of simple types and of other names, because such names only make types harder to read.
func (a *alias) inlined() bool {
	return a.at != nil && a.state == visited && (a.typ.op == opWord || a.typ.op == opRef)
}

// plainKey reports whether key can be a property name without quotes.
func plainKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
		if !letter && (i == 0 || c < '0' || '9' < c) {
			return false
		}
	}
	return key != ""
}
