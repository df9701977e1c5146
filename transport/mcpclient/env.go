package mcpclient

import (
	"slices"
	"strings"

	"github.com/toolscript/toolscript/transport/upstream"
)

// ownPrefix is the prefix of toolscript's own variables. One of them holds the gateway's capability
// URL. No server gets them.
const ownPrefix = "TOOLSCRIPT_"

// serverEnvironment is the complete environment of a server.
type serverEnvironment struct {
	vars     []string // NAME=value, sorted
	refused  []string // names of toolscript's variables that the configuration sets
	withheld []string // names of inherited variables that are omitted because their values contain credentials
}

// Environment returns the environment of a server of type Stdio, or of the programs that a built-in
// tool runs, as NAME=value. It contains the variables of host that the server inherits, and the
// variables of its configuration. host is the environment of the gateway, in the form of
// os.Environ.
func Environment(host []string, cfg upstream.Config) []string { return environment(host, cfg).vars }

// environment selects variables from host, the gateway's environment, and adds those
// of the server's configuration.
func environment(host []string, cfg upstream.Config) serverEnvironment {
	if cfg.Environ != nil {
		return serverEnvironment{vars: cfg.Environ}
	}
	var out serverEnvironment
	vars := make(map[string]string)
	for _, entry := range host {
		name, value, ok := strings.Cut(entry, "=")
		switch {
		case !ok || name == "" || isOwn(name):
		case cfg.InheritEnv || listed(cfg.InheritNames, name):
			vars[name] = value
		case !inherits(name):
		case !holdsCredential(name, value):
			vars[name] = value
		case !sets(cfg.Env, name):
			out.withheld = append(out.withheld, name)
		}
	}
	for name, value := range cfg.Env {
		if isOwn(name) {
			out.refused = append(out.refused, name)
			continue
		}
		upstream.SetVariable(vars, name, value)
	}
	for name, value := range vars {
		out.vars = append(out.vars, name+"="+value)
	}
	slices.Sort(out.vars)
	slices.Sort(out.refused)
	slices.Sort(out.withheld)
	return out
}

func isOwn(name string) bool { return strings.HasPrefix(strings.ToUpper(name), ownPrefix) }

func sets(env map[string]string, name string) bool {
	for n := range env {
		if upstream.SameVariable(n, name) {
			return true
		}
	}
	return false
}
