package daemon

import (
	"context"
	"log/slog"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/config"
)

// Variables returns the names of the environment variables to which the effective part of
// the configuration refers.
func (d *Daemon) Variables(context.Context) ([]string, error) {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	_, names, err := d.read(nil)
	return names, err
}

// read reads the configuration. Variables have the values of env, else those of earlier
// reloads, else those of the environment. names are the variables to which the
// configuration refers.
func (d *Daemon) read(env map[string]string) (loaded *config.Config, names []string, err error) {
	from := d.host.ConfigOptions(d.options.Trust)
	from.Strict = true
	from.Variable = func(name string) (string, bool) {
		names = append(names, name)
		for _, of := range []map[string]string{env, d.variables} {
			if value, ok := of[name]; ok {
				return value, true
			}
		}
		return d.host.Config.LookupEnv(name)
	}
	if loaded, err = Read(from); err != nil {
		return nil, nil, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	slices.Sort(names)
	return loaded, slices.Compact(names), nil
}

// reload is a planned reload: a new configuration, and its differences from the one in
// force.
type reload struct {
	loaded *config.Config
	names  []string // names of the variables
	search actors.SearchOptions
	toolscript.ReloadPlan
}

// plan reads the configuration and compares it with the one in force. It changes nothing.
// The caller holds d.reloading.
func (d *Daemon) plan(env map[string]string) (*reload, error) {
	loaded, names, err := d.read(env)
	if err != nil {
		return nil, err
	}
	d.applyFlags(loaded)
	d.options.Watch.apply(loaded)
	d.fleet.add(loaded)
	r := &reload{loaded: loaded, names: names}
	var warnings []string
	r.search, warnings = d.host.searchOptions(loaded.Settings.Search)
	r.Warnings = slices.Concat(loaded.Notices(), warnings)
	r.Servers = d.Plan(loaded.Servers)
	r.Settings = loaded.Settings.Differences(*d.settings.Load(), d.started)
	r.Changes = len(r.Settings) > 0
	for _, c := range r.Servers {
		r.Changes = r.Changes || c.Action != toolscript.ChangeKeep
		if c.Action != toolscript.ChangeRemove && slices.Contains(loaded.Untrusted, c.Name) {
			r.NotTrusted = append(r.NotTrusted, c.Name)
		}
	}
	for _, f := range loaded.Files {
		r.Files = append(r.Files, toolscript.PlannedFile{Path: f.Path, Found: f.Found, Trusted: f.Trusted})
	}
	return r, nil
}

// PlanReload returns what Reload would do, without changing anything.
func (d *Daemon) PlanReload(_ context.Context, env map[string]string) (toolscript.ReloadPlan, error) {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	r, err := d.plan(env)
	if err != nil {
		return toolscript.ReloadPlan{}, err
	}
	return r.ReloadPlan, nil
}

// Reload reads the configuration again and puts it in force. env has values for variables
// to which it refers. After an error, the old configuration stays in force.
func (d *Daemon) Reload(ctx context.Context, env map[string]string) (toolscript.Reload, error) {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	r, err := d.plan(env)
	if err != nil {
		return toolscript.Reload{}, err
	}
	before := *d.fleet.inForce.Load()
	d.fleet.use(r.loaded.Settings.Fleet)
	defer func() { d.fleet.follow(false) }()
	d.secrets.add(r.loaded.Servers) // before a server gets them
	changed, err := d.Configure(ctx, r.loaded.Servers)
	if err != nil {
		d.fleet.use(before)
		return toolscript.Reload{}, err
	}
	for _, name := range r.names {
		if value, ok := env[name]; ok {
			d.variables[name] = value
		}
	}
	changed.Warnings = r.Warnings
	for _, name := range slices.Concat(changed.Added, changed.Changed) {
		if slices.Contains(r.NotTrusted, name) {
			changed.NotTrusted = append(changed.NotTrusted, name)
		}
	}
	old := d.settings.Swap(&r.loaded.Settings)
	d.RenewRedactors()
	if old.Fleet.Address() != r.loaded.Settings.Fleet.Address() {
		d.runners.Reset()
	}
	if old.PinPolicy() != r.loaded.Settings.PinPolicy() {
		d.ReviewPins()
	}
	changed.Search = old.Search.Changes(r.loaded.Settings.Search)
	d.ConfigureSearch(r.search)
	if d.options.Changed != nil && len(changed.Added)+len(changed.Removed)+len(changed.Changed)+len(changed.Adjusted) > 0 {
		d.options.Changed()
	}
	return changed, nil
}

// ReloadOn reloads for each request until ctx ends, and logs the result.
func (d *Daemon) ReloadOn(ctx context.Context, requests <-chan struct{}) {
	logger := d.options.Logger
	for {
		select {
		case <-ctx.Done():
			return
		case <-requests:
		}
		changed, err := d.Reload(ctx, nil)
		if err != nil {
			logger.Error("configuration not reloaded; the old one stays in force", slog.String("error", err.Error()))
			continue
		}
		for _, warning := range changed.Warnings {
			logger.Warn(warning)
		}
		logger.Info("configuration reloaded", slog.Any("added", changed.Added), slog.Any("removed", changed.Removed),
			slog.Any("changed", changed.Changed), slog.Any("adjusted", changed.Adjusted), slog.Any("retried", changed.Retried),
			slog.Any("search", changed.Search), slog.Int("unchanged", len(changed.Unchanged)))
	}
}

// ChangeSignal returns a channel and a function that sends on it, for Options.Changed. The function never blocks: while
// a change has not been received, further changes are not sent.
func ChangeSignal() (<-chan struct{}, func()) {
	changes := make(chan struct{}, 1)
	return changes, func() {
		select {
		case changes <- struct{}{}:
		default:
		}
	}
}
