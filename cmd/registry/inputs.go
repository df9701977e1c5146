package registry

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// inputs turns the inputs of a server into texts of a definition.
type inputs struct {
	store    bool              // secrets are in the secret store, not in variables
	prefix   string            // of variables whose inputs have names that say little, such as token
	given    map[string]string // by the name of the input
	used     map[string]bool   // the names that inputs have
	needed   []Variable
	optional []Variable
}

var (
	// reference is how a configuration refers to a variable of the environment.
	reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[^}]*\}`) })
	// placeholder is how a text of the registry refers to one of its variables.
	placeholder  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_.-]*)\}`) })
	variableForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	notInName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Z0-9]+`) })
)

// GivenError is a mistake in a value that the user has given.
type GivenError struct{ text string }

func (e *GivenError) Error() string { return e.text }

func givenError(format string, args ...any) error { return &GivenError{fmt.Sprintf(format, args...)} }

// errExpands refuses a text that the configuration would expand with variables of the user.
var errExpands = errors.New("it has ${…} in a text, which would take a variable of yours")

// plain checks a text of the registry that becomes part of a definition as it is.
func plain(text string) error {
	switch {
	case strings.Contains(text, "${"):
		return errExpands
	case strings.ContainsAny(text, "\x00\r\n"):
		return errors.New("it has a control character in a text")
	}
	return nil
}

// fill replaces the variables of a text of the registry. A variable that the text does not
// define stays as it is. whole is the name of the variable of the environment if the text is
// one variable of the registry and nothing else; "" is a name of that.
func (in *inputs) fill(text string, variables map[string]Input, whole string) (string, error) {
	if err := plain(text); err != nil {
		return "", err
	}
	var failed error
	filled := placeholder().ReplaceAllStringFunc(text, func(match string) string {
		name := match[1 : len(match)-1]
		v, known := variables[name]
		if !known {
			return match
		}
		v.IsRequired = true // a text with a hole is of no use
		as := in.variable(name)
		if match == text && whole != "" {
			as = whole
		}
		value, _, err := in.value(name, as, v)
		failed = errors.Join(failed, err)
		return value
	})
	return filled, failed
}

// value is the text for one input: what the user has given, what the publisher has fixed,
// the default of a required input, or a reference to a variable. there is false for an
// optional input without a value.
func (in *inputs) value(name, as string, i Input) (text string, there bool, err error) {
	in.used[name] = true
	v := Variable{Name: as, Description: i.Description, Secret: i.IsSecret, Required: i.IsRequired, Default: i.Default, Choices: i.Choices}
	given, has := in.given[name]
	switch {
	case i.Value != "":
		return i.Value, true, plain(i.Value)
	case has && i.IsSecret && !reference().MatchString(given):
		return "", false, givenError("%s is a secret, which does not belong into a file: leave it out, and set the variable %s", name, v.Name)
	case has && len(i.Choices) > 0 && !slices.Contains(i.Choices, given):
		return "", false, givenError("%s must be one of %s", name, strings.Join(i.Choices, ", "))
	case has:
		return given, true, nil
	case i.Default != "" && i.IsRequired && !i.IsSecret:
		return i.Default, true, plain(i.Default)
	case i.IsRequired:
		if !slices.ContainsFunc(in.needed, func(n Variable) bool { return n.Name == v.Name }) {
			in.needed = append(in.needed, v)
		}
		if i.IsSecret && in.store {
			return "${secret:" + v.Name + "}", true, nil
		}
		return "${" + v.Name + "}", true, nil
	}
	in.optional = append(in.optional, v)
	return "", false, nil
}

// variable is the name of the variable of the environment for an input.
func (in *inputs) variable(name string) string {
	if variableForm().MatchString(name) && strings.ToUpper(name) == name {
		return name
	}
	upper := upperCase(name)
	if in.prefix == "" || strings.HasPrefix(upper, in.prefix+"_") {
		return upper
	}
	return in.prefix + "_" + upper
}

// upperCase makes a name of a variable of any text.
func upperCase(text string) string {
	upper := strings.Trim(notInName().ReplaceAllString(strings.ToUpper(text), "_"), "_")
	if upper == "" || upper[0] >= '0' && upper[0] <= '9' {
		upper = "X" + upper
	}
	return upper
}

// pairs are headers or variables of the environment.
func (in *inputs) pairs(list []KeyValue) (pairs, error) {
	var out pairs
	for _, kv := range list {
		text, there, err := in.text(kv.Name, kv.Input, kv.Variables)
		if err != nil {
			return nil, fmt.Errorf("%.80s: %w", kv.Name, err)
		}
		if there {
			out = append(out, [2]string{kv.Name, text})
		}
	}
	return out, nil
}

// text is the text for an input whose value may have variables.
func (in *inputs) text(name string, i Input, variables map[string]Input) (string, bool, error) {
	if i.Value == "" {
		return in.value(name, in.variable(name), i)
	}
	if !i.IsRequired && !in.complete(i.Value, variables) {
		for _, name := range slices.Sorted(maps.Keys(variables)) {
			if _, _, err := in.value(name, in.variable(name), variables[name]); err != nil {
				return "", false, err
			}
		}
		return "", false, nil
	}
	text, err := in.fill(i.Value, variables, in.variable(name))
	return text, err == nil, err
}

// complete reports whether the text of an optional input can be written: all its variables
// are required, or have values.
func (in *inputs) complete(text string, variables map[string]Input) bool {
	for _, match := range placeholder().FindAllStringSubmatch(text, -1) {
		v, known := variables[match[1]]
		if _, given := in.given[match[1]]; known && !given && v.Value == "" && v.Default == "" && !v.IsRequired {
			return false
		}
	}
	return true
}
