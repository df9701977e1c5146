package mcpclient

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript/transport/upstream"
)

// inherited lists the variables that a server inherits by default: user and home directory, locale,
// network settings, variables that common runtimes and package runners need to start, and variables
// that select a container engine, a cluster, a screen, a browser or an SSH agent. The list has exact
// names and no prefixes, because credentials have the same prefixes: NODE_AUTH_TOKEN,
// NPM_CONFIG__AUTH, UV_PUBLISH_TOKEN, DENO_AUTH_TOKENS.
var inherited = slices.Concat(
	names("", "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "NO_COLOR", "LANG", "LANGUAGE", "TZ", "TMPDIR"),
	names("LC_", "ALL", "ADDRESS", "COLLATE", "CTYPE", "IDENTIFICATION", "MEASUREMENT", "MESSAGES", "MONETARY", "NAME", "NUMERIC", "PAPER", "TELEPHONE", "TIME"),
	names("XDG_", "BIN_HOME", "CACHE_HOME", "CONFIG_DIRS", "CONFIG_HOME", "CURRENT_DESKTOP", "DATA_DIRS", "DATA_HOME", "RUNTIME_DIR", "SESSION_TYPE", "STATE_HOME"),
	names("", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
	names("", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"),
	names("NODE_", "COMPILE_CACHE", "DEBUG", "DISABLE_COLORS", "DISABLE_COMPILE_CACHE", "ENV", "EXTRA_CA_CERTS", "ICU_DATA", "NO_WARNINGS",
		"OPTIONS", "PATH", "PENDING_DEPRECATION", "PRESERVE_SYMLINKS", "REDIRECT_WARNINGS", "SKIP_PLATFORM_CHECK",
		"TLS_REJECT_UNAUTHORIZED", "USE_ENV_PROXY", "USE_SYSTEM_CA", "V8_COVERAGE"),
	names("NPM_CONFIG_", upper(npmSettings)...), names("npm_config_", npmSettings...),
	names("", "NVM_BIN", "NVM_DIR", "VOLTA_HOME", "FNM_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "PNPM_HOME", "COREPACK_HOME", "BUN_INSTALL"),
	names("DENO_", "CERT", "DIR", "INSTALL", "INSTALL_ROOT", "JOBS", "NO_PACKAGE_JSON", "NO_PROMPT", "NO_UPDATE_CHECK", "TLS_CA_STORE", "V8_FLAGS"),
	names("PYTHON", "BREAKPOINT", "COERCECLOCALE", "DEVMODE", "DONTWRITEBYTECODE", "EXECUTABLE", "FAULTHANDLER", "HASHSEED", "HOME",
		"INTMAXSTRDIGITS", "IOENCODING", "LEGACYWINDOWSSTDIO", "MALLOC", "NOUSERSITE", "OPTIMIZE", "PATH", "PLATLIBDIR",
		"PYCACHEPREFIX", "SAFEPATH", "STARTUP", "UNBUFFERED", "USERBASE", "UTF8", "VERBOSE", "WARNINGS"),
	names("", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT"),
	names("UV_", "CACHE_DIR", "COMPILE_BYTECODE", "CONFIG_FILE", "DEFAULT_INDEX", "EXCLUDE_NEWER", "EXTRA_INDEX_URL", "FIND_LINKS", "FROZEN",
		"HTTP_RETRIES", "HTTP_TIMEOUT", "INDEX", "INDEX_STRATEGY", "INDEX_URL", "INSECURE_HOST", "INSTALL_DIR", "LINK_MODE", "LOCKED",
		"MANAGED_PYTHON", "NATIVE_TLS", "NO_CACHE", "NO_CONFIG", "NO_INDEX", "NO_MANAGED_PYTHON", "NO_PROGRESS", "OFFLINE", "PRERELEASE",
		"PROJECT_ENVIRONMENT", "PYPY_INSTALL_MIRROR", "PYTHON", "PYTHON_BIN_DIR", "PYTHON_DOWNLOADS", "PYTHON_INSTALL_DIR",
		"PYTHON_INSTALL_MIRROR", "PYTHON_PREFERENCE", "RESOLUTION", "SYSTEM_CERTS", "SYSTEM_PYTHON", "TOOL_BIN_DIR", "TOOL_DIR"),
	names("PIP_", "CACHE_DIR", "CERT", "CONFIG_FILE", "EXTRA_INDEX_URL", "FIND_LINKS", "INDEX_URL", "NO_INDEX", "PROXY", "TRUSTED_HOST"),
	names("GO", "BIN", "CACHE", "FLAGS", "MODCACHE", "NOPROXY", "NOSUMDB", "PATH", "PRIVATE", "PROXY", "RACE", "ROOT", "SUMDB", "TOOLCHAIN"),
	names("", "CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "JAVA_HOME", "DOTNET_ROOT"),
	names("DOCKER_", "API_VERSION", "CERT_PATH", "CONFIG", "CONTEXT", "HOST", "TLS_VERIFY"), names("", "CONTAINER_HOST", "KUBECONFIG"),
	names("", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK"),
	names("", "PLAYWRIGHT_BROWSERS_PATH", "PUPPETEER_CACHE_DIR", "PUPPETEER_EXECUTABLE_PATH", "CHROME_PATH"),
)

// npmSettings are the settings that npx needs to find, fetch and keep a package. It
// must not contain credentials such as _auth, _authToken, _password, otp and key.
var npmSettings = []string{
	"audit", "cache", "cafile", "color", "fetch_retries", "fetch_timeout", "fund", "globalconfig", "https_proxy", "loglevel",
	"node_options", "noproxy", "offline", "prefer_offline", "prefer_online", "prefix", "progress", "proxy", "registry",
	"script_shell", "strict_ssl", "update_notifier", "userconfig", "yes",
}

// inheritedWindows lists the variables that programs need to start on Windows.
var inheritedWindows = names("", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME",
	"HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432",
	"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE")

func names(prefix string, rest ...string) []string {
	all := make([]string, len(rest))
	for i, name := range rest {
		all[i] = prefix + name
	}
	return all
}

func upper(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = strings.ToUpper(name)
	}
	return all
}

func inherits(name string) bool {
	return listed(inherited, name) || runtime.GOOS == "windows" && listed(inheritedWindows, name)
}

func listed(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return upstream.SameVariable(n, name) })
}

// Addresses of proxies and package indexes may contain a user name and a password.
var (
	addressWithUser = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/\s@]+@`) })
	userOfSSH       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bssh://[^/\s@:]+@`) }) // in an SSH address, a user name alone is not a credential
	proxyWithUser   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^/\s@]+@`) })
)

// holdsCredential reports whether the value of an inherited variable contains an address with a
// user name or a password.
func holdsCredential(name, value string) bool {
	return addressWithUser().MatchString(userOfSSH().ReplaceAllString(value, "")) ||
		strings.HasSuffix(strings.ToUpper(name), "PROXY") && proxyWithUser().MatchString(value)
}
