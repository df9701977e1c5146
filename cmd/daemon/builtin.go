package daemon

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// connections returns what the gateway offers to the connections of its servers. Without a usable
// data folder, built-in tools that keep a state fail.
func (d *Daemon) connections() upstream.Host {
	host := upstream.Host{
		Dir: d.host.Config.WorkDir, Answers: d.answers, Shared: upstream.DialWith(d.hub.Dial), Fetch: d.fetch, Agents: d.agents,
		Own: map[string]upstream.Dial{upstream.Fleet: upstream.DialWith(d.fleet.Dial), upstream.Scripts: upstream.DialWith(d.dialScripts)},
	}
	if folder, err := d.host.folder("builtin"); err == nil {
		host.StateDir = folder
	}
	return host
}

// fetch lists or reads resources for a built-in tool. It applies the rules of the run that
// calls the tool.
func (d *Daemon) fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	o.Allow = upstream.AllowOf(ctx)
	if o.Run != "" {
		record, err := d.Run(ctx, o.Run)
		if err != nil {
			return nil, err
		}
		o.Allow = record.Allow
	}
	return d.Fetch(ctx, o)
}
