package app

import (
	"os"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/logfile"
)

// Logs returns the folder of the logs of gateways and hubs.
func (a *App) Logs() (logfile.Folder, error) {
	data, err := config.DataDir(a.Host.Config)
	return logfile.Folder(data + string(os.PathSeparator) + "logs"), err
}

// Launcher returns a Launcher of gateways and hubs, whose logs are in the folder of logs.
func (a *App) Launcher() discovery.Launcher {
	return discovery.Launcher{Logs: a.Logs, Warn: a.Warn}
}
