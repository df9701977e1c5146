package daemon

import (
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/cmd/config"
)

// store is where scripts keep values from one run to the next; nil without a data folder.
func (d *Daemon) store() *store.Options {
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
		Project: func(dir string) (string, error) { return config.StoreFolder(d.host.Config, dir) },
	}
}
