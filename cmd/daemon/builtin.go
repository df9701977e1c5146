package daemon

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// connections returns what the gateway offers to the connections of its servers. Without a usable
// data folder, built-in tools that keep a state fail.
func (d *Daemon) connections(logins *oauth.Sessions) upstream.Host {
	host := upstream.Host{
		RoundTripper: actors.Credentials(logins), Confiner: d.options.Watch.confiner(d.host), Reaper: d.reaper, Dir: d.host.Config.WorkDir, Answers: d.answers,
		Shared:     upstream.DialWith(d.hub.Dial),
		Own:        map[string]upstream.Dial{upstream.Fleet: upstream.DialWith(d.fleet.Dial), upstream.Scripts: upstream.DialWith(d.dialScripts)},
		RunCommand: harness.RunCommand, Confinement: command.Confinement(), Fetch: d.fetch, Agents: d.agents, Convert: d.convert(),
	}
	if folder, err := d.host.folder("builtin"); err == nil {
		host.StateDir = folder
	}
	return host
}

// convert returns the port of the workers that convert foreign documents. Servers may use
// it before Start has returned.
func (d *Daemon) convert() upstream.ConvertPort {
	return harness.ConvertWhen(d.ready, func() upstream.ConvertPort { return d.Convert })
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
