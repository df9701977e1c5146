package validate

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of patterns. A short text such as ((a{1000}){10}){10} becomes a program of
// 100,000 instructions, and the time of a match is proportional to their number times
// the length of the input.
const (
	maxPattern      = 4 << 10 // bytes
	maxInstructions = 10_000  // instructions of one pattern
	maxWeight       = 100_000 // instructions of all patterns of a schema: about 5 MB
	maxMatch        = 1 << 25 // instructions times input bytes of one match

	matchPrice = 16 // units per match
)

// pattern is a compiled pattern. linear is nil if the pattern exceeds the limits, or needs a feature
// that Go's engine does not have. Then only the server checks the pattern.
type pattern struct {
	text   string
	size   int // instructions of linear
	linear *regexp.Regexp
}

// String implements jsonschema.Regexp.
func (p *pattern) String() string { return p.text }

// MatchString implements jsonschema.Regexp. The library calls it only for its own
// schemas, whose patterns are short.
func (p *pattern) MatchString(s string) bool { return p.linear == nil || p.linear.MatchString(s) }

// match reports whether s matches. known is false if that was not checked.
func (p *pattern) match(b *budget, s string) (matched, known bool) {
	b.spend(matchPrice)
	if p.linear == nil {
		return false, false
	}
	work := p.size * len(s)
	if work > maxMatch || !b.affords(work) {
		return false, false
	}
	return p.linear.MatchString(s), true
}

// patterns compiles the patterns of one schema.
type patterns struct {
	compiled map[string]*pattern
	weight   int // sum of the weights of all patterns
}

// compile compiles a pattern with Go's engine, which takes linear time.
func (c *patterns) compile(text string) (jsonschema.Regexp, error) {
	if known, ok := c.compiled[text]; ok {
		return known, nil
	}
	p := &pattern{text: text}
	if err := c.engine(p); err != nil {
		return nil, err
	}
	if c.compiled == nil {
		c.compiled = map[string]*pattern{}
	}
	c.compiled[text] = p
	return p, nil
}

// engine sets p.linear, unless the pattern exceeds the limits or needs a feature that Go's engine
// does not have.
func (c *patterns) engine(p *pattern) error {
	if len(p.text) > maxPattern {
		return nil
	}
	text := unicodeEscape().ReplaceAllString(p.text, `$1\x{$2}`)
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return unlessJavaScript(err)
	}
	need := estimate(tree)
	if need.instructions > maxInstructions || c.weight+need.weight > maxWeight {
		return nil
	}
	c.weight += need.weight
	p.size = need.instructions
	p.linear, err = regexp.Compile(text)
	return err
}

// unicodeEscape matches \u00e9, which Go's engine writes as \x{00e9}.
var unicodeEscape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`((?:^|[^\\])(?:\\\\)*)\\u([0-9a-fA-F]{4})`) })

// unlessJavaScript returns nil if err is about a feature that JavaScript has: lookaround, back
// references, other escapes or large repeats. Otherwise it returns err.
func unlessJavaScript(err error) error {
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return err
	}
	switch wrong.Code { //nolint:exhaustive // the other codes are errors in JavaScript too
	case syntax.ErrInvalidEscape, syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
		return nil
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidNamedCapture:
		for _, lookaround := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
			if strings.HasPrefix(wrong.Expr, lookaround) {
				return nil
			}
		}
	}
	return err
}

// need is the estimated size of a compiled pattern.
type need struct {
	instructions int
	weight       int // memory, in instructions of 40 bytes, including character classes
}

// estimate returns the need of a pattern. It does not expand repeats, because nested repeats multiply.
func estimate(tree *syntax.Regexp) need {
	var inner need
	for _, sub := range tree.Sub {
		inner = inner.plus(estimate(sub))
	}
	switch tree.Op {
	case syntax.OpLiteral:
		return need{len(tree.Rune), len(tree.Rune)}
	case syntax.OpCharClass:
		return need{1, 1 + len(tree.Rune)/10}
	case syntax.OpCapture:
		return inner.plus(need{2, 2})
	case syntax.OpAlternate, syntax.OpConcat:
		return inner.plus(need{len(tree.Sub), len(tree.Sub)})
	case syntax.OpRepeat:
		times := max(tree.Max, tree.Min+1) // Max is -1 without a maximum
		return inner.plus(need{1, 1}).times(times)
	default: // one instruction
		return inner.plus(need{1, 1})
	}
}

// plus adds two needs. Like times, it stops at the limits, so that it does not overflow.
func (n need) plus(m need) need {
	return need{min(n.instructions+m.instructions, maxInstructions+1), min(n.weight+m.weight, maxWeight+1)}
}

func (n need) times(factor int) need {
	return need{min(n.instructions*factor, maxInstructions+1), min(n.weight*factor, maxWeight+1)}
}
