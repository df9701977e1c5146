package daemon

import (
	"context"
	"log/slog"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

// Variables are the names of the environment variables that the effective part of the
// configuration refers to.
func (d *Daemon) Variables(context.Context) ([]string, error) {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	_, names, err := d.read(nil)
	return names, err
}

// read reads the configuration. Variables have the values of env, else those of
// earlier reloads, else those of the environment. names are the variables that the
// configuration refers to.
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
	if loaded, err = load(from); err != nil {
		return nil, nil, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	slices.Sort(names)
	return loaded, slices.Compact(names), nil
}

// Reload reads the configuration again and puts it in force. env has values of
// variables that it refers to. An error leaves the old configuration in force.
func (d *Daemon) Reload(ctx context.Context, env map[string]string) (toolscript.Reload, error) {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	loaded, names, err := d.read(env)
	if err != nil {
		return toolscript.Reload{}, err
	}
	changed, err := d.Configure(ctx, loaded.Servers)
	if err != nil {
		return toolscript.Reload{}, err
	}
	for _, name := range names {
		if value, ok := env[name]; ok {
			d.variables[name] = value
		}
	}
	changed.Warnings = loaded.Warnings
	for _, name := range slices.Concat(changed.Added, changed.Changed) {
		if slices.Contains(loaded.Untrusted, name) {
			changed.NotTrusted = append(changed.NotTrusted, name)
		}
	}
	d.applyFlags(loaded)
	old := d.settings.Swap(&loaded.Settings)
	if old.PinPolicy() != loaded.Settings.PinPolicy() {
		d.ReviewPins()
	}
	changed.Search = old.Search.Changes(loaded.Settings.Search)
	options, warnings := d.host.searchOptions(loaded.Settings.Search)
	d.ConfigureSearch(options)
	changed.Warnings = append(changed.Warnings, warnings...)
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
