package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// parseQuery parses the parameters of a route. Unknown and repeated parameters are errors:
// ignoring one would silently select something else.
func parseQuery(text string, known []string) (url.Values, error) {
	query, err := url.ParseQuery(text)
	if err != nil {
		return nil, invalid("the query string has a wrong escape sequence")
	}
	for name, values := range query {
		switch {
		case !slices.Contains(known, name) && (name == "server" || name == "tool"):
			return nil, invalid("unknown parameter %q; use filter=SERVER or filter=SERVER%sTOOL", name, toolscript.Separator)
		case !slices.Contains(known, name):
			return nil, unknownParameter(name, known)
		case len(values) > 1:
			return nil, invalid("parameter %q occurs %d times", name, len(values))
		}
	}
	return query, nil
}

func unknownParameter(name string, known []string) error {
	if near := naming.Nearest(name, known, 1); len(near) > 0 {
		return invalid("unknown parameter %.50q; did you mean %q?", name, near[0])
	}
	return invalid("unknown parameter %.50q; this route accepts: %s", name, strings.Join(known, ", "))
}

func (x *exchange) filter() toolscript.Filter {
	return toolscript.ParseFilter(x.query.Get("filter"))
}

// flag returns a parameter that is true or false; the default is false.
func (x *exchange) flag(name string) (bool, error) {
	if !x.query.Has(name) {
		return false, nil
	}
	on, err := strconv.ParseBool(x.query.Get(name))
	if err != nil {
		return false, invalid("parameter %q must be true or false, not %.50q", name, x.query.Get(name))
	}
	return on, nil
}

// longestWait is the maximum of the parameter wait.
const longestWait = 5 * time.Minute

// wait returns the parameter wait, such as 1s or 500ms. A number without a unit is in
// milliseconds.
func (x *exchange) wait() (time.Duration, error) {
	text := x.query.Get("wait")
	if !x.query.Has("wait") {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if ms, bare := strconv.ParseInt(text, 10, 32); bare == nil {
		d, err = time.Duration(ms)*time.Millisecond, nil
	}
	if err != nil || d < 0 || d > longestWait {
		return 0, invalid("parameter %q must be a duration from 0 to %s, such as 1s or 500ms, not %.50q", "wait", longestWait, text)
	}
	return d, nil
}

// param returns a part of the path, unescaped. The route matched the escaped path, so the
// name of a tool may contain a slash.
func (x *exchange) param(name string) (string, error) {
	value, err := url.PathUnescape(x.c.Params(name))
	if err != nil {
		return "", invalid("the path has a wrong escape sequence")
	}
	return value, nil
}
