package mcpclient

import (
	"runtime"
	"slices"
	"strings"
)

// ownPrefix begins the names of our own variables, the capability URL of the
// gateway among them. None of them ever reaches a server.
const ownPrefix = "TOOLSCRIPT_"

// passed are the variables that a server gets from our environment without
// asking: who and where the user is, how the network is reached, and what the
// common runtimes need to find themselves. A name that ends in * is a prefix.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_*", "TZ", "TMPDIR", "XDG_*",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
	"NODE_*", "NPM_CONFIG_*", "npm_config_*", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_*",
	"PYTHON*", "VIRTUAL_ENV", "CONDA_PREFIX", "UV_*", "PIP_INDEX_URL",
	"GOPATH", "GOROOT", "GOBIN", "GOPROXY", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME",
}

// passedWindows are those without which programs do not start on Windows.
var passedWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME", "HOMEDRIVE",
	"HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES*", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// environment is the whole environment of a server: of host, which is ours,
// what may pass, and over it what the server's configuration sets. refused are
// names of ours that the configuration asked for.
func environment(host []string, cfg Config) (env, refused []string) {
	vars := make(map[string]string)
	for _, entry := range host {
		name, value, ok := strings.Cut(entry, "=")
		if ok && passes(name, cfg) {
			vars[name] = value
		}
	}
	for name, value := range cfg.Env {
		if isOwn(name) {
			refused = append(refused, name)
			continue
		}
		vars[name] = value
	}
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	slices.Sort(refused)
	return env, refused
}

// passes reports whether a variable of ours may reach the server.
func passes(name string, cfg Config) bool {
	if name == "" || isOwn(name) {
		return false
	}
	return cfg.InheritEnv || listed(passed, name) || slices.ContainsFunc(cfg.InheritNames, func(n string) bool { return same(n, name) }) ||
		runtime.GOOS == "windows" && listed(passedWindows, name)
}

func isOwn(name string) bool { return strings.HasPrefix(strings.ToUpper(name), ownPrefix) }

func listed(names []string, name string) bool {
	return slices.ContainsFunc(names, func(entry string) bool {
		prefix, open := strings.CutSuffix(entry, "*")
		if open {
			return len(name) >= len(prefix) && same(name[:len(prefix)], prefix)
		}
		return same(name, entry)
	})
}

// same compares names of variables, whose case means nothing on Windows.
func same(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
