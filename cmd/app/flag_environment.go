package app

import (
	"github.com/spf13/pflag"
)

// environmentKey is the annotation of a flag that names its environment variable.
const environmentKey = "toolscript_environment"

// variableKey is the annotation of a flag that has its value from its variable.
const variableKey = "toolscript_from_variable"

// Typed reports whether a flag is on the command line.
func Typed(f *pflag.Flag) bool { return f.Changed && f.Annotations[variableKey] == nil }

// FromEnvironment declares the variable from which Read sets a flag that is not on the
// command line. The value is not the flag's default, because the help prints defaults and
// one of the variables holds a capability.
func FromEnvironment(f *pflag.FlagSet, flag, variable string) {
	found := f.Lookup(flag)
	found.Usage += " [$" + variable + "]"
	found.Annotations = map[string][]string{environmentKey: {variable}}
}

// Read sets flags that are not on the command line from their variables. An invalid value
// is an *UsageError of the command.
func Read(set *pflag.FlagSet, command string, getenv func(string) string, warn func(format string, args ...any)) error {
	var bad error
	set.VisitAll(func(f *pflag.Flag) {
		variables := f.Annotations[environmentKey]
		if len(variables) == 0 || f.Changed || bad != nil {
			return
		}
		if value := getenv(variables[0]); value != "" {
			err := set.Set(f.Name, value)
			f.Annotations[variableKey] = variables
			switch {
			case err != nil && variables[0] == "LOG_LEVEL": // other programs read it too, and accept other words
				warn("LOG_LEVEL: %v; the default is used", err)
			case err != nil:
				bad = Usage(command, "%s: %w", variables[0], err)
			}
		}
	})
	return bad
}
