package gateway

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
)

// parseQuery reads the parameters of a route. One that the route does not know
// is refused, as is one given twice: to ignore it would silently select
// something else than was asked for.
func parseQuery(text string, known []string) (url.Values, error) {
	query, err := url.ParseQuery(text)
	if err != nil {
		return nil, invalid("the query string is not escaped properly")
	}
	for name, values := range query {
		switch {
		case !slices.Contains(known, name) && (name == "server" || name == "tool"):
			return nil, invalid("unknown parameter %q; use filter=SERVER or filter=SERVER%sTOOL", name, toolscript.Separator)
		case !slices.Contains(known, name):
			return nil, unknownParameter(name, known)
		case len(values) > 1:
			return nil, invalid("parameter %q is given %d times", name, len(values))
		}
	}
	return query, nil
}

func unknownParameter(name string, known []string) error {
	if near := toolscript.Nearest(name, known, 1); len(near) > 0 {
		return invalid("unknown parameter %.50q; did you mean %q?", name, near[0])
	}
	return invalid("unknown parameter %.50q; this route knows: %s", name, strings.Join(known, ", "))
}

func (x *exchange) filter() toolscript.Filter {
	return toolscript.ParseFilter(x.query.Get("filter"))
}

// visible is the filter within what the caller may know of.
func (x *exchange) visible() toolscript.Filter {
	if x.allow == nil {
		return x.filter()
	}
	ids := toolscript.Filter{}
	for _, t := range x.server.backend.Catalog().Filter(x.filter()).Filter(x.allow).Tools() {
		ids = append(ids, t.ID())
	}
	return ids
}

// flag is a parameter that is true or false, and false when it is absent.
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

// longestWait bounds the parameter wait.
const longestWait = 5 * time.Minute

// duration is a parameter such as 1s or 500ms; a bare number is milliseconds.
func (x *exchange) duration(name string) (time.Duration, error) {
	if !x.query.Has(name) {
		return 0, nil
	}
	text := x.query.Get(name)
	d, err := time.ParseDuration(text)
	if ms, bare := strconv.ParseInt(text, 10, 32); bare == nil {
		d, err = time.Duration(ms)*time.Millisecond, nil
	}
	if err != nil || d < 0 || d > longestWait {
		return 0, invalid("parameter %q must be a duration from 0 to %s, such as 1s or 500ms, not %.50q", name, longestWait, text)
	}
	return d, nil
}
