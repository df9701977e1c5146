package upstream

import (
	"maps"
	"reflect"
	"slices"
)

// Changes returns the fields that differ between two configurations of a server, as a
// configuration file names them, sorted. For env and headers, it names each variable and
// header that differs, such as env.LEVEL. The result has no values.
func (c Config) Changes(next Config) []string {
	var fields []string
	for name, pair := range c.pairs(next) {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			fields = append(fields, name)
		}
	}
	fields = append(fields, changedKeys("env.", c.Env, next.Env)...)
	fields = append(fields, changedKeys("headers.", c.Headers, next.Headers)...)
	if len(fields) == 0 && c.Written != next.Written {
		fields = []string{"text"} // it means the same as before
	}
	slices.Sort(fields)
	return fields
}

// pairs returns the values of both configurations by the name of their field, without Env
// and Headers.
func (c Config) pairs(next Config) map[string][2]any {
	inherited := func(c Config) any { return []any{c.InheritEnv, c.InheritNames} }
	confine := func(c Config) any { return []*Confine{c.Confine, c.Trial} }
	return map[string][2]any{
		"type": {c.Type, next.Type}, "disabled": {c.Disabled, next.Disabled},
		"command": {c.Command, next.Command}, "args": {c.Args, next.Args}, "cwd": {c.Dir, next.Dir},
		"inheritEnv": {inherited(c), inherited(next)}, "confine": {confine(c), confine(next)},
		"url": {c.URL, next.URL}, "oauth": {c.OAuth, next.OAuth}, "protocol": {c.Protocol, next.Protocol}, "shared": {c.Shared, next.Shared}, "stateless": {c.Stateless, next.Stateless},
		"root": {c.Root, next.Root}, "tools": {c.Tools, next.Tools},
		"exec": {c.Settings.Exec, next.Settings.Exec}, "web": {c.Settings.Web, next.Settings.Web}, "agents": {c.Settings.Agents, next.Settings.Agents},
		"commands":     {string(c.Commands), string(next.Commands)},
		"api":          {string(c.API), string(next.API)},
		"includeTools": {c.IncludeTools, next.IncludeTools}, "excludeTools": {c.ExcludeTools, next.ExcludeTools}, "overrides": {c.Overrides, next.Overrides},
		"timeout": {c.Timeout, next.Timeout}, "concurrency": {c.Concurrency, next.Concurrency}, "rateLimit": {c.RateLimit, next.RateLimit}, "idle": {c.Idle, next.Idle}, "startupTimeout": {c.StartupTimeout, next.StartupTimeout},
		"environment": {c.Environ, next.Environ}, "account": {c.Account, next.Account}, // set by a hub
		"accounts":           {c.Accounts, next.Accounts},
		"scripts":            {c.Scripts, next.Scripts},
		"file":               {c.Source, next.Source},                         // the file that configures the server
		"project":            {c.Project, next.Project},                       // the folder that its paths are resolved beneath
		"variables":          {c.Secrets, next.Secrets},                       // values of the variables
		"trust or variables": {errorText(c.Problem), errorText(next.Problem)}, // trust, and variables without a value
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// changedKeys returns the keys whose values differ, after a prefix.
func changedKeys(prefix string, one, next map[string]string) (keys []string) {
	all := maps.Clone(one)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, next)
	for key := range all {
		before, had := one[key]
		after, has := next[key]
		if had != has || before != after {
			keys = append(keys, prefix+key)
		}
	}
	return keys
}
