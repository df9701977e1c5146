package validate

import (
	"regexp"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternTime bounds one match of a pattern that backtracks.
const patternTime = 100 * time.Millisecond

// compilePattern compiles a pattern with Go's engine, which takes linear time,
// or else, for lookaheads and back references, with one that backtracks like
// JavaScript's.
func compilePattern(pattern string) (jsonschema.Regexp, error) {
	if linear, err := regexp.Compile(pattern); err == nil {
		return linear, nil
	}
	compiled, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		return nil, err
	}
	compiled.MatchTimeout = patternTime
	return backtracking{compiled}, nil
}

// backtracking is a pattern of the slow engine.
type backtracking struct{ *regexp2.Regexp }

// MatchString gives up, and with it the whole check, when a match takes too
// long: taking it for a mismatch would refuse what the server may accept.
func (b backtracking) MatchString(s string) bool {
	matched, err := b.Regexp.MatchString(s)
	if err != nil {
		panic(errCostly)
	}
	return matched
}
