package daemon

import (
	"path/filepath"
	"slices"

	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/cmd/config"
)

// store returns where scripts keep values between runs, or nil without a data folder.
func (d *Daemon) store(files []config.File) *store.Options {
	folder, err := d.host.folder("store")
	if err != nil {
		d.host.Warn("scripts cannot keep values: %v", err)
		return nil
	}
	return &store.Options{
		Folder: folder,
		Allowed: func() []string {
			if scopes := d.settings.Load().StoreScopes; scopes != nil {
				return scopes
			}
			return store.DefaultScopes
		},
		Project: func(dir string) (string, error) { return d.projectOf(dir, files) },
	}
}

// projectOf returns the folder of the project of a working directory. Clients without one, such
// as those of MCP over HTTP, have the project of this configuration; "" means no project.
func (d *Daemon) projectOf(dir string, files []config.File) (string, error) {
	if dir == "" {
		i := slices.IndexFunc(files, func(f config.File) bool { return f.Project && f.Found })
		if i < 0 {
			return "", nil
		}
		dir = filepath.Dir(files[i].Path)
	}
	return config.StoreFolder(d.host.Config, dir), nil
}
