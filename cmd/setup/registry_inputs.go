package setup

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// inputs converts the inputs of a server to texts of a definition.
type inputs struct {
	store    bool              // secrets are kept in the secret store, not in variables
	prefix   string            // prefix of variables for inputs with lowercase names, such as token
	given    map[string]string // values by the name of the input
	used     map[string]bool   // names of all inputs that were seen
	needed   []Variable
	optional []Variable
}

var (
	// reference matches a reference to an environment variable in a configuration.
	reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[^}]*\}`) })
	// placeholder matches a reference to a variable in a text of the registry.
	placeholder  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_.-]*)\}`) })
	variableForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	notInName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Z0-9]+`) })
)

// givenError is a mistake in a value that the user has given.
type givenError struct{ error }

// errExpands refuses a text in which the configuration would expand variables of the user.
var errExpands = errors.New("it has ${…} in a text, which would take a variable of yours")

// plain checks a text of the registry that becomes part of a definition unchanged.
func plain(text string) error {
	switch {
	case strings.Contains(text, "${"):
		return errExpands
	case strings.ContainsAny(text, "\x00\r\n"):
		return errors.New("it has a control character in a text")
	}
	return nil
}

// fill replaces the variables in a text of the registry. Undefined variables stay. If the
// text is a single variable and nothing else, whole is the name of the environment variable
// to use for it; "" derives the name.
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
		v.IsRequired = true // a text with a gap would be useless
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

// value returns the text for one input: the value that the user has given or the publisher
// has fixed, the default of a required input, or a reference to a variable. there is false
// for an optional input without a value.
func (in *inputs) value(name, as string, i Input) (text string, there bool, err error) {
	in.used[name] = true
	v := Variable{Name: as, Description: i.Description, Secret: i.IsSecret, Required: i.IsRequired, Default: i.Default, Choices: i.Choices}
	given, has := in.given[name]
	switch {
	case i.Value != "":
		return i.Value, true, plain(i.Value)
	case has && i.IsSecret && !reference().MatchString(given):
		return "", false, givenError{fmt.Errorf("%s is a secret, which does not belong into a file: leave it out, and set the variable %s", name, v.Name)}
	case has && len(i.Choices) > 0 && !slices.Contains(i.Choices, given):
		return "", false, givenError{fmt.Errorf("%s must be one of %s", name, strings.Join(i.Choices, ", "))}
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

// variable returns the name of the environment variable for an input.
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

// upperCase converts any text to the name of a variable.
func upperCase(text string) string {
	upper := strings.Trim(notInName().ReplaceAllString(strings.ToUpper(text), "_"), "_")
	if upper == "" || upper[0] >= '0' && upper[0] <= '9' {
		upper = "X" + upper
	}
	return upper
}

// pairs converts headers or environment variables.
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

// text returns the text for an input whose value may have variables.
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

// complete reports whether the text of an optional input can be written: each of its
// variables is required or has a value.
func (in *inputs) complete(text string, variables map[string]Input) bool {
	for _, match := range placeholder().FindAllStringSubmatch(text, -1) {
		v, known := variables[match[1]]
		if _, given := in.given[match[1]]; known && !given && v.Value == "" && v.Default == "" && !v.IsRequired {
			return false
		}
	}
	return true
}
