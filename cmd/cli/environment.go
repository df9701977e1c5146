package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// environmentKey marks a flag with the variable that stands in for it.
const environmentKey = "toolscript_environment"

// fromEnvironment lets a variable stand in for a flag that is not given. The
// value never becomes the flag's default: help would print it, and one of them
// is a capability.
func fromEnvironment(f *pflag.FlagSet, flag, variable string) {
	found := f.Lookup(flag)
	found.Usage += " [$" + variable + "]"
	found.Annotations = map[string][]string{environmentKey: {variable}}
}

// readEnvironment sets the flags that are not given from their variables.
func (a *app) readEnvironment(c *cobra.Command, _ []string) error {
	var bad error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		variables := f.Annotations[environmentKey]
		if len(variables) == 0 || f.Changed || bad != nil {
			return
		}
		if value := a.getenv(variables[0]); value != "" {
			err := c.Flags().Set(f.Name, value)
			switch {
			case err != nil && variables[0] == "LOG_LEVEL": // other programs read it too, and know other words
				a.warn("LOG_LEVEL: %v; the default is used", err)
			case err != nil:
				bad = &usageError{c.CommandPath(), fmt.Errorf("%s: %w", variables[0], err)}
			}
		}
	})
	return bad
}

// getenv is the value of a variable, "" when it is not set.
func (a *app) getenv(name string) string {
	value, _ := a.lookupEnv(name)
	return value
}

// lookupEnv finds a variable. As in the shell, of two entries the later counts.
func (a *app) lookupEnv(name string) (string, bool) {
	for _, entry := range slices.Backward(a.Env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
