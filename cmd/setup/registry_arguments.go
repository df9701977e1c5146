package setup

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// arguments returns the words of a command line. A flag without a value is a switch. A switch of the runtime is
// always set. A switch of the package is set if the user has given true, or if its default is true.
func (in *inputs) arguments(list []Argument, runtime bool) (words []string, err error) {
	for _, a := range list {
		name := a.ValueHint
		if a.Type == "named" {
			name = strings.TrimLeft(a.Name, "-")
			if !strings.HasPrefix(a.Name, "-") || plain(a.Name) != nil {
				return nil, fmt.Errorf("%.80q is not the name of a flag", a.Name)
			}
		}
		if a.secret() {
			return nil, fmt.Errorf("the argument %.80s is a secret, which the list of processes would show", name)
		}
		if a.isSwitch(runtime) {
			in.used[name] = true
			if runtime || in.given[name] == "true" || a.Default == "true" && in.given[name] == "" {
				words = append(words, a.Name)
			}
			continue
		}
		text, there, err := in.text(name, a.Input, a.Variables)
		if err != nil {
			return nil, err
		}
		switch {
		case !there:
		case a.Type != "named":
			words = append(words, text)
		case strings.HasPrefix(a.Name, "--"):
			words = append(words, a.Name+"="+text)
		default:
			words = append(words, a.Name, text)
		}
	}
	return words, nil
}

// isSwitch reports whether an argument is a flag without a value.
func (a Argument) isSwitch(runtime bool) bool {
	bare := a.Type == "named" && a.Value == "" && len(a.Variables) == 0 && len(a.Choices) == 0
	return bare && (a.Format == "boolean" || runtime && a.Default == "" && a.Format == "" && !a.IsRequired)
}

// secret reports whether an argument contains a secret.
func (a Argument) secret() bool {
	return a.IsSecret || slices.ContainsFunc(slices.Collect(maps.Values(a.Variables)), func(v Input) bool { return v.IsSecret })
}

// assignment matches an environment variable in a docker flag.
var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=(?s:(.*))$`) })

// withoutEnvironment converts the flags -e NAME=VALUE of a container to environment
// variables, which the list of processes does not show.
func withoutEnvironment(p Package) Package {
	var left []Argument
	variables := append([]KeyValue(nil), p.EnvironmentVariables...)
	for _, a := range p.RuntimeArguments {
		m := assignment().FindStringSubmatch(a.Value)
		if a.Type != "named" || a.Name != "-e" && a.Name != "--env" || m == nil {
			left = append(left, a)
			continue
		}
		kv := KeyValue{Input: a.Input, Name: m[1], Variables: a.Variables}
		kv.Value = m[2]
		variables = append(variables, kv)
	}
	p.RuntimeArguments, p.EnvironmentVariables = left, variables
	return p
}
