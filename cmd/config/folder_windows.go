package config

import "path/filepath"

// dataFolder returns the data folder of a user who has named none. Programs of Windows keep such files
// in %LOCALAPPDATA%, which is not copied to other machines of a domain. A folder .toolscript of the home
// folder is used on.
func (o Options) dataFolder() string {
	const old = "~/.toolscript"
	local := o.env("LOCALAPPDATA")
	if home := o.home(); !filepath.IsAbs(local) || home != "" && exists(filepath.Join(home, ".toolscript")) {
		return old
	}
	return filepath.Join(local, "toolscript")
}
