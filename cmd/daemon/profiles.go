package daemon

import (
	"fmt"
	"maps"
	"slices"

	"github.com/toolscript/toolscript/internal/naming"
)

// warnings returns the problems of the fleet and of the profiles.
func (d *Daemon) warnings() []string {
	all := d.fleet.warnings()
	select {
	case <-d.ready:
	default: // the actors do not exist yet
		return all
	}
	profiles := d.settings.Load().Profiles
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		for _, u := range d.Select(profiles[name].Allow, nil).Unknown {
			if u.Server == nil && !naming.IsOwn(u.Entry) {
				all = append(all, fmt.Sprintf("profile %s: %q is no server and no tool, and matches none%s", name, u.Entry, naming.DidYouMean(u.Suggestions)))
			}
		}
	}
	return all
}
