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
	return loaded, a.locate(loaded.Servers)
}

// locate says where the servers run. One that its configuration puts nowhere runs
// in this command's folder. One whose command is toolscript, as that of the demo
// server, is this very program, whether or not another of that name is in PATH.
func (a *app) locate(servers map[string]mcpclient.Config) error {
	self, err := os.Executable()
	for name, c := range servers {
		if c.Type != mcpclient.Stdio {
			continue
		}
		if c.Dir == "" {
			c.Dir = a.Dir
		}
		if c.Command == "toolscript" {
			if err != nil {
				return fmt.Errorf("server %s is this program, and nothing tells where that is: %w", name, err)
			}
			c.Command = self
		}
		servers[name] = c
	}
	return nil
}
