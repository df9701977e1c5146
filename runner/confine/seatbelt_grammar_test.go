package confine_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file checks texts of sandbox profiles without macOS. It has a parser for their lists, and a grammar of the
// operations and filters that the profiles of this package use. The grammar is smaller than that of macOS.

// list is a form in parentheses. Its items are lists, symbols, texts and numbers.
type list []any

type (
	symbol string
	text   string
)

var token = regexp.MustCompile(`^(?:\s+|;[^\n]*\n)*(?:([()])|"((?:[^"\\]|\\.)*)"|([^\s()";]+))`)

// readProfile returns the forms of a profile.
func readProfile(source string) ([]list, error) {
	open := []list{nil} // the innermost is last
	for rest := strings.TrimSpace(source); rest != ""; {
		m := token.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("no token at %.40q", rest)
		}
		var item any
		switch rest = strings.TrimSpace(rest[len(m[0]):]); {
		case m[1] == "(":
			open = append(open, nil)
			continue
		case m[1] == ")":
			if len(open) == 1 {
				return nil, fmt.Errorf("no form ends before %.40q", rest)
			}
			item, open = open[len(open)-1], open[:len(open)-1]
		case m[3] != "":
			if n, err := strconv.Atoi(m[3]); err == nil {
				item = n
			} else {
				item = symbol(m[3])
			}
		default:
			item = text(m[2])
		}
		open[len(open)-1] = append(open[len(open)-1], item)
	}
	if len(open) != 1 {
		return nil, fmt.Errorf("%d forms have no end", len(open)-1)
	}
	var forms []list
	for _, item := range open[0] {
		form, is := item.(list)
		if !is {
			return nil, fmt.Errorf("%v is outside of all forms", item)
		}
		forms = append(forms, form)
	}
	return forms, nil
}

// operations maps each operation of the profiles to its filters. A rule of the operation default has none.
var operations = map[symbol][]string{
	"default":          nil,
	"file-write*":      {"subpath", "literal"},
	"file-read-data":   {"subpath", "literal"},
	"process-exec*":    {"subpath", "literal"},
	"process-info*":    {"target"},
	"signal":           {"target"},
	"mach-lookup":      {"global-name"},
	"network*":         {"remote"},
	"network-outbound": {"remote"},
	"appleevent-send":  {},
	"lsopen":           {},
}

var localPort = regexp.MustCompile(`^localhost:([1-9]\d{0,4}|\*)$`)

// checkFilter returns an error if the arguments of a filter are not those that it takes.
func checkFilter(filter list) error {
	wrong := fmt.Errorf("%v is no filter", filter)
	if len(filter) < 2 {
		return wrong
	}
	path := func() bool {
		switch p := filter[1].(type) {
		case text:
			return strings.HasPrefix(string(p), "/")
		case list:
			name, is := p[len(p)-1].(text)
			return len(p) == 2 && p[0] == symbol("param") && is && name != ""
		}
		return false
	}
	ok := false
	switch filter[0] {
	case symbol("subpath"), symbol("literal"):
		ok = len(filter) == 2 && path()
	case symbol("target"):
		ok = len(filter) == 2 && slices.Contains([]any{symbol("self"), symbol("same-sandbox"), symbol("others")}, filter[1])
	case symbol("global-name"):
		name, is := filter[1].(text)
		ok = len(filter) == 2 && is && strings.Contains(string(name), ".")
	case symbol("remote"):
		if len(filter) == 3 {
			address, is := filter[2].(text)
			ok = slices.Contains([]any{symbol("ip"), symbol("tcp"), symbol("udp")}, filter[1]) && is && localPort.MatchString(string(address))
		}
	}
	if !ok {
		return wrong
	}
	return nil
}

// checkProfile returns an error if a profile is outside of the grammar: its version, then what is allowed or denied by
// default, then rules of known operations with their filters.
func checkProfile(source string) error {
	forms, err := readProfile(source)
	if err != nil {
		return err
	}
	if len(forms) < 2 || !slices.Equal(forms[0], list{symbol("version"), 1}) {
		return fmt.Errorf("the profile does not begin with its version")
	}
	for i, form := range forms[1:] {
		if len(form) < 2 || form[0] != symbol("allow") && form[0] != symbol("deny") {
			return fmt.Errorf("%v is no rule", form)
		}
		operation, _ := form[1].(symbol)
		filters, known := operations[operation]
		if !known || (operation == "default") != (i == 0) {
			return fmt.Errorf("%v has an operation that is unknown, or in a wrong place", form)
		}
		for _, item := range form[2:] {
			filter, is := item.(list)
			if !is || len(filter) == 0 {
				return fmt.Errorf("%v has something that is no filter", form)
			}
			name, _ := filter[0].(symbol)
			if !slices.Contains(filters, string(name)) {
				return fmt.Errorf("%v: %s has no filter %v", form, operation, filter[0])
			}
			if err := checkFilter(filter); err != nil {
				return fmt.Errorf("%v: %w", form, err)
			}
		}
	}
	return nil
}

// TestGrammarRefuses: the grammar refuses texts that macOS refuses. Otherwise TestProfiles would prove nothing.
func TestGrammarRefuses(t *testing.T) {
	const head = "(version 1)\n(allow default)\n"
	if err := checkProfile(head + `(deny file-write*) ; a comment` + "\n" + `(allow file-write* (subpath (param "A")))`); err != nil {
		t.Error(err)
	}
	for name, source := range map[string]string{
		"no version":            `(allow default)`,
		"no end":                head + `(deny signal`,
		"one end too many":      head + `(deny signal))`,
		"text without end":      head + `(allow file-write* (literal "/a))`,
		"unknown operation":     head + `(deny file-writes)`,
		"unknown action":        head + `(refuse signal)`,
		"filter of another":     head + `(deny signal (subpath "/"))`,
		"path that is relative": head + `(allow file-write* (subpath "a"))`,
		"parameter without one": head + `(allow file-write* (subpath (param)))`,
		"text without a filter": head + `(allow file-write* "/a")`,
		"port of another host":  head + `(allow network-outbound (remote tcp "10.0.0.1:80"))`,
		"default at the end":    head + `(deny default)`,
		"text outside":          head + `"a"`,
	} {
		if checkProfile(source) == nil {
			t.Errorf("%s: the grammar accepts\n%s", name, source)
		}
	}
}
