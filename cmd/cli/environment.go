package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/flags"
)

// prepare reads and checks the options of a command before it runs.
func (a *app) prepare(c *cobra.Command, _ []string) error {
	err := a.read(c)
	if err == nil {
		err = together(c)
	}
	if err == nil {
		err = a.refuseAgent(c)
	}
	if err == nil {
		a.watch(c)
	}
	return err
}

// read reads the flags of a command, and the environment variables of flags that are not given.
func (a *app) read(c *cobra.Command) error {
	err := flags.Read(c.Flags(), c.CommandPath(), a.getenv, a.warn)
	a.host = &daemon.Host{
		Config: config.Options{Config: a.configs, DataDir: a.dataDir, WorkDir: a.Dir, LookupEnv: a.lookupEnv},
		Warn:   a.warn, FindHub: a.findHub,
	}
	a.target.Host, a.suggestions = a.host, suggestionsOf(c, a.names)
	return err
}

// getenv returns the value of a variable; "" if it is not set.
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
func (a *app) absolute(path string) string { return exec.Absolute(a.Dir, path) }
