package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/source"
)

// environmentKey is the annotation of a flag with the name of its variable.
const environmentKey = "toolscript_environment"

// variableKey is the annotation of a flag whose value comes from its variable.
const variableKey = "toolscript_from_variable"

// typed reports whether a flag is on the command line.
func typed(f *pflag.Flag) bool { return f.Changed && f.Annotations[variableKey] == nil }

// fromEnvironment sets the variable that a flag gets its value from if it is not on the
// command line. The value is not the default of the flag: help prints defaults, and one
// of the variables holds a capability.
func fromEnvironment(f *pflag.FlagSet, flag, variable string) {
	found := f.Lookup(flag)
	found.Usage += " [$" + variable + "]"
	found.Annotations = map[string][]string{environmentKey: {variable}}
}

// prepare completes the options before a command runs.
func (a *app) prepare(c *cobra.Command, _ []string) error {
	err := a.readEnvironment(c)
	a.host = &daemon.Host{
		Config: config.Options{Config: a.configs, DataDir: a.dataDir, WorkDir: a.Dir, LookupEnv: a.lookupEnv},
		Warn:   a.warn,
	}
	a.target.Host = a.host
	if err == nil {
		a.page(c)
	}
	return err
}

// readEnvironment sets the flags that are not on the command line from their variables.
func (a *app) readEnvironment(c *cobra.Command) error {
	var bad error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		variables := f.Annotations[environmentKey]
		if len(variables) == 0 || f.Changed || bad != nil {
			return
		}
		if value := a.getenv(variables[0]); value != "" {
			err := c.Flags().Set(f.Name, value)
			f.Annotations[variableKey] = variables
			switch {
			case err != nil && variables[0] == "LOG_LEVEL": // other programs read it too, and accept other words
				a.warn("LOG_LEVEL: %v; the default is used", err)
			case err != nil:
				bad = &exit.UsageError{Command: c.CommandPath(), Err: fmt.Errorf("%s: %w", variables[0], err)}
			}
		}
	})
	return bad
}

// getenv is the value of a variable; "" if it is not set.
func (a *app) getenv(name string) string {
	value, _ := a.lookupEnv(name)
	return value
}

// lookupEnv finds a variable. If it is set twice, the later value counts, as in the
// shell.
func (a *app) lookupEnv(name string) (string, bool) {
	for _, entry := range slices.Backward(a.Env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// absolute resolves a path in the working directory of the command.
func (a *app) absolute(path string) string { return source.Absolute(a.Dir, path) }
