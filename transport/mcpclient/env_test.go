package mcpclient_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/transport/upstream"
)

// serverEnv returns the environment of a server with a configuration.
func serverEnv(t *testing.T, cfg upstream.Config) []string {
	t.Helper()
	var env []string
	if err := json.Unmarshal([]byte(text(t, dial(t, cfg, upstream.Events{}), "env", "")), &env); err != nil {
		t.Fatal(err)
	}
	return env
}

func TestEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"PATH": "/bin", "LC_TIME": "C", "HTTPS_PROXY": "http://proxy", "NODE_OPTIONS": "--no-warnings",
		"AWS_SECRET_ACCESS_KEY": "aws", "MY_TOKEN": "mine", "TOOLSCRIPT_GATEWAY_URL": "http://127.0.0.1:1/capability",
	} {
		t.Setenv(name, value)
	}
	for _, tt := range []struct {
		name   string
		change func(*upstream.Config)
		passed map[string]bool
	}{
		{
			"allow-list", func(*upstream.Config) {},
			map[string]bool{"PATH=/bin": true, "LC_TIME=C": true, "HTTPS_PROXY=http://proxy": true, "NODE_OPTIONS=--no-warnings": true, "MY_TOKEN=mine": false, "AWS_SECRET_ACCESS_KEY=aws": false},
		},
		{
			"env on top", func(c *upstream.Config) { c.Env["PATH"], c.Env["A"] = "/usr/bin", "x=y" },
			map[string]bool{"PATH=/usr/bin": true, "PATH=/bin": false, "A=x=y": true},
		},
		{
			"some more names", func(c *upstream.Config) { c.InheritNames = []string{"MY_TOKEN", "NOT_SET"} },
			map[string]bool{"MY_TOKEN=mine": true, "AWS_SECRET_ACCESS_KEY=aws": false, "NOT_SET=": false},
		},
		{
			"everything", func(c *upstream.Config) { c.InheritEnv = true },
			map[string]bool{"MY_TOKEN=mine": true, "AWS_SECRET_ACCESS_KEY=aws": true, "TOOLSCRIPT_GATEWAY_URL=http://127.0.0.1:1/capability": false},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := config(t)
			tt.change(&cfg)
			env := serverEnv(t, cfg)
			got := make(map[string]bool)
			for entry := range tt.passed {
				got[entry] = slices.Contains(env, entry)
			}
			if diff := cmp.Diff(tt.passed, got); diff != "" {
				t.Errorf("passed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOwnVariablesNeverPass: no configuration passes toolscript's own variables to a server.
func TestOwnVariablesNeverPass(t *testing.T) {
	t.Setenv("TOOLSCRIPT_GATEWAY_URL", "http://127.0.0.1:1/capability")
	t.Setenv("TOOLSCRIPT_DATA_DIR", "/data")
	cfg := config(t)
	cfg.InheritEnv = true
	cfg.InheritNames = []string{"TOOLSCRIPT_GATEWAY_URL"}
	cfg.Env["TOOLSCRIPT_GATEWAY_URL"] = "http://127.0.0.1:1/capability"
	cfg.Env["toolscript_token"] = "capability"
	var w warnings
	c := dial(t, cfg, upstream.Events{Log: w.log})
	env := text(t, c, "env", "")
	for _, absent := range []string{"TOOLSCRIPT_", "toolscript_", "capability"} {
		if strings.Contains(env, absent) {
			t.Errorf("%q is in the environment of the server: %s", absent, env)
		}
	}
	wantText(t, "warnings", w.String(), "TOOLSCRIPT_GATEWAY_URL", "toolscript_token")
}

// credentials are variables that contain credentials, according to the documentation of npm,
// Node.js, uv, Deno, pip, cargo, Go, and tools for version control and clouds.
var credentials = []string{
	"NODE_AUTH_TOKEN", "NPM_TOKEN", "NPM_AUTH_TOKEN", "NPM_CONFIG__AUTH", "NPM_CONFIG__AUTHTOKEN", "NPM_CONFIG__PASSWORD", "NPM_CONFIG_OTP",
	"NPM_CONFIG_KEY", "NPM_CONFIG_CERT", "npm_config__auth", "npm_config__authToken", "npm_config__password", "npm_config_otp",
	"npm_config_//npm.example.com/:_authToken", "NPM_CONFIG_USERNAME", "YARN_NPM_AUTH_TOKEN", "YARN_NPM_AUTH_IDENT", "BUN_AUTH_TOKEN",
	"UV_PUBLISH_TOKEN", "UV_PUBLISH_USERNAME", "UV_PUBLISH_PASSWORD", "UV_INDEX_INTERNAL_USERNAME", "UV_INDEX_INTERNAL_PASSWORD",
	"UV_GITHUB_TOKEN", "UV_HF_TOKEN", "UV_ENV_FILE",
	"DENO_AUTH_TOKENS", "DENO_DEPLOY_TOKEN", "DENO_KV_ACCESS_TOKEN",
	"TWINE_USERNAME", "TWINE_PASSWORD", "PIP_CLIENT_CERT", "PIP_KEYRING_PROVIDER", "POETRY_PYPI_TOKEN_PYPI", "POETRY_HTTP_BASIC_PRIVATE_PASSWORD",
	"FLIT_PASSWORD", "HATCH_INDEX_AUTH", "PDM_PUBLISH_PASSWORD", "PYTHON_KEYRING_BACKEND",
	"CARGO_REGISTRY_TOKEN", "CARGO_REGISTRIES_INTERNAL_TOKEN", "CARGO_REGISTRY_CREDENTIAL_PROVIDER", "GOAUTH", "NETRC",
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_WEB_IDENTITY_TOKEN_FILE",
	"AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
	"AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PASSWORD", "AZURE_PASSWORD", "AZURE_STORAGE_KEY",
	"AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_SAS_TOKEN", "AZURE_DEVOPS_EXT_PAT", "ARM_CLIENT_SECRET", "ARM_ACCESS_KEY",
	"GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CREDENTIALS", "GOOGLE_API_KEY", "GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN",
	"GITHUB_TOKEN", "GH_TOKEN", "GITHUB_PERSONAL_ACCESS_TOKEN", "GITLAB_TOKEN", "CI_JOB_TOKEN", "BITBUCKET_TOKEN",
	"DIGITALOCEAN_ACCESS_TOKEN", "HCLOUD_TOKEN", "LINODE_CLI_TOKEN", "CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY", "FLY_API_TOKEN",
	"VERCEL_TOKEN", "NETLIFY_AUTH_TOKEN", "HEROKU_API_KEY", "VAULT_TOKEN", "CONSUL_HTTP_TOKEN", "TF_TOKEN_app_terraform_io",
	"PULUMI_ACCESS_TOKEN", "DOCKER_AUTH_CONFIG", "DOCKER_PASSWORD", "OS_PASSWORD", "OCI_CLI_KEY_CONTENT", "IBMCLOUD_API_KEY",
	"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HF_TOKEN", "SENTRY_AUTH_TOKEN", "DATABASE_URL", "PGPASSWORD", "MYSQL_PWD", "SLACK_BOT_TOKEN",
	"XDG_SESSION_COOKIE",
}

// unknown are variables with a known prefix, which alone is not sufficient.
var unknown = []string{"NODE_X", "NPM_CONFIG_X", "npm_config_x", "UV_X", "DENO_X", "PYTHON_X", "PYTHONX", "PIP_X", "CARGO_X", "GOX", "XDG_X", "LC_X", "PATHX"}

// useful are variables by which programs of these runtimes find their files or the network.
var useful = []string{
	"HOME", "LC_ALL", "XDG_CONFIG_HOME", "HTTPS_PROXY", "no_proxy", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "NPM_CONFIG_REGISTRY", "npm_config_cache",
	"NPM_CONFIG_USERCONFIG", "UV_CACHE_DIR", "UV_DEFAULT_INDEX", "UV_PYTHON", "DENO_DIR", "DENO_CERT", "PIP_INDEX_URL", "PYTHONPATH", "PYTHONUNBUFFERED",
	"GOPROXY", "CARGO_HOME",
	"DOCKER_HOST", "DOCKER_CONTEXT", "KUBECONFIG", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "PLAYWRIGHT_BROWSERS_PATH", "XDG_RUNTIME_DIR",
}

func TestInheritedEnvironment(t *testing.T) {
	for _, name := range slices.Concat(credentials, unknown, useful) {
		t.Setenv(name, "value-of-"+name)
	}
	env := serverEnv(t, config(t))
	for _, name := range slices.Concat(credentials, unknown) {
		if slices.Contains(env, name+"=value-of-"+name) {
			t.Errorf("%s reaches the server", name)
		}
	}
	for _, name := range useful {
		if !slices.Contains(env, name+"=value-of-"+name) {
			t.Errorf("%s does not reach the server", name)
		}
	}
}

// Addresses of proxies and package indexes may contain a user name and a password. A
// server receives them only if its configuration requests it.
func TestInheritedAddressesWithPasswords(t *testing.T) {
	secret := map[string]string{
		"HTTPS_PROXY": "http://me:s3cret@proxy:8080", "http_proxy": "me:s3cret@proxy:8080", "NPM_CONFIG_REGISTRY": "https://s3cret@registry.example",
		"UV_INDEX": "a=https://pypi.example b=https://me:s3cret@pypi.example/simple", "PIP_INDEX_URL": "https://me:s3cret@pypi.example/simple",
		"GOPROXY": "https://me:s3cret@go.example,direct", "CONTAINER_HOST": "ssh://me:s3cret@host",
	}
	plain := map[string]string{
		"ALL_PROXY": "socks5://proxy:1080", "LC_ALL": "ca_ES@valencia", "PATH": "/opt/node@22/bin:/bin", "DOCKER_HOST": "ssh://me@host", "UV_DEFAULT_INDEX": "https://pypi.example/@team/simple",
	}
	for _, vars := range []map[string]string{secret, plain} {
		for name, value := range vars {
			t.Setenv(name, value)
		}
	}
	var w warnings
	cfg := config(t)
	cfg.InheritNames = []string{"GOPROXY"}
	var env []string
	if err := json.Unmarshal([]byte(text(t, dial(t, cfg, upstream.Events{Log: w.log}), "env", "")), &env); err != nil {
		t.Fatal(err)
	}
	for name, value := range secret {
		passed := slices.Contains(env, name+"="+value)
		if asked := name == "GOPROXY"; passed != asked {
			t.Errorf("%s reaches the server: %t, want %t", name, passed, asked)
		}
		if warned := strings.Contains(w.String(), name+" "); warned != (name != "GOPROXY") {
			t.Errorf("warning about %s: %t", name, warned)
		}
	}
	for name, value := range plain {
		if !slices.Contains(env, name+"="+value) {
			t.Errorf("%s=%s does not reach the server", name, value)
		}
	}
	if strings.Contains(w.String(), "s3cret") {
		t.Errorf("a warning shows a password: %s", &w)
	}
}
