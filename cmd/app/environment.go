package app

import (
	"os"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/logfile"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Prepare reads and checks the options of a command before it runs.
func (a *App) Prepare(c *cobra.Command, _ []string) error {
	err := a.Read(c)
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

// Read reads the flags of a command, and the environment variables of flags that are not given.
func (a *App) Read(c *cobra.Command) error {
	err := Read(c.Flags(), c.CommandPath(), a.Getenv, a.Warn)
	a.Host = &daemon.Host{
		Config: config.Options{Config: a.configs, DataDir: a.dataDir, WorkDir: a.Dir, LookupEnv: a.LookupEnv},
		Warn:   a.Warn, FindHub: a.FindHub,
	}
	a.Target.Host, a.suggestions = a.Host, suggestionsOf(c, a.Names)
	return err
}

// LoadNames loads the configuration for a command that needs no value of a secret.
func (a *App) LoadNames() (*config.Config, error) {
	o := a.Host.ConfigOptions(false)
	o.NoValues = true
	return config.Load(o)
}

// Getenv returns the value of a variable; "" if it is not set.
func (a *App) Getenv(name string) string {
	value, _ := a.LookupEnv(name)
	return value
}

// LookupEnv finds a variable. If it is set twice, the later value counts, as in the
// shell. Windows ignores the case of the name.
func (a *App) LookupEnv(name string) (string, bool) {
	for _, entry := range slices.Backward(a.Env) {
		if known, value, ok := strings.Cut(entry, "="); ok && upstream.SameVariable(known, name) {
			return value, true
		}
	}
	return "", false
}

// Absolute resolves a path in the working directory of the command.
func (a *App) Absolute(path string) string { return files.Absolute(a.Dir, path) }

// Logs returns the folder of the logs of gateways and hubs.
func (a *App) Logs() (logfile.Folder, error) {
	data, err := config.DataDir(a.Host.Config)
	return logfile.Folder(data + string(os.PathSeparator) + "logs"), err
}

// Launcher returns a Launcher of gateways and hubs, whose logs are in the folder of logs.
func (a *App) Launcher() discovery.Launcher {
	return discovery.Launcher{Logs: a.Logs, Warn: a.Warn}
}
