package httptransport

import (
	"bytes"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// Edge is the number of bytes at the beginning and at the end of a long answer in which In searches
// the id. No SDK writes the id in the middle.
const Edge = 512

// maxWhole is the length of the longest answer that is searched as a whole.
const maxWhole = 16 << 10

// Parse parses an id or a progress token. It also accepts a number as a string, and with a fraction of
// zero, because some servers return these.
func Parse(literal []byte) (id int64, ok bool) {
	if n := len(literal); n > 1 && literal[0] == '"' && literal[n-1] == '"' {
		literal = literal[1 : n-1]
	}
	if id, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
		return id, true
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	return int64(f), err == nil && f == math.Trunc(f) && math.Abs(f) <= 1<<53
}

// member matches the member "id" of a message, in JSON and as Python prints it.
var member = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`["']id["']\s*:\s*(["']?)([0-9]+)(?:\.0+)?(["']?)\s*[,}\]]`)
})

// kind matches the member that says what a message is.
var kind = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`["'](method|result|error)["']\s*:`) })

// Ends returns the beginning and the end of a text, in which In searches the id.
func Ends(text []byte) (head, end []byte) {
	if len(text) <= maxWhole {
		return text, nil
	}
	return text[:Edge], text[len(text)-Edge:]
}

// In returns the numbers in the beginning and the end of a message that may be its id, the most
// likely ones first. The Python SDK writes the id before the result, the TypeScript SDK after it.
func In(head, end []byte) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		last := member().FindAllSubmatch(end, -1)
		slices.Reverse(last)
		for _, found := range append(member().FindAllSubmatch(head, -1), last...) {
			id, err := strconv.ParseInt(string(found[2]), 10, 64)
			if err == nil && bytes.Equal(found[1], found[3]) && !yield(id) {
				return
			}
		}
	}
}

// IsAnswer reports whether a text that is not a valid message seems to be an answer, and not a request
// that the server has received and prints.
func IsAnswer(text []byte) bool {
	for head, end := Ends(text); ; head, end = end, nil {
		if found := kind().FindSubmatch(head); found != nil {
			return string(found[1]) != "method"
		}
		if len(end) == 0 {
			return false
		}
	}
}
