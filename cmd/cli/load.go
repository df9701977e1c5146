package cli

import (
	"fmt"
	"os"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// load reads the configuration and says on stderr what the user should know of it.
func (a *app) load(trust bool) (*config.Config, error) {
	loaded, err := config.Load(a.config(trust))
	if err != nil {
		return nil, err
	}
	for _, warning := range loaded.Warnings {
		a.warn("%s", warning)
	}
	return loaded, withSelf(loaded.Servers)
}

// warn says something that the user should know and that stops nothing.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.Stderr, "toolscript: warning: "+format+"\n", args...)
}

// withSelf lets a server be this program, as the demo server is: the command
// "toolscript" is this very binary, whether or not one of that name is in PATH.
func withSelf(servers map[string]mcpclient.Config) error {
	self, err := os.Executable()
	for name, c := range servers {
		if c.Type != mcpclient.Stdio || c.Command != "toolscript" {
			continue
		}
		if err != nil {
			return fmt.Errorf("server %s is this program, and nothing tells where that is: %w", name, err)
		}
		c.Command = self
		servers[name] = c
	}
	return nil
}
