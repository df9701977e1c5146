package mcpclient_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/transport/mcpclient"
)

// serverEnv is the environment that a server of that configuration has.
func serverEnv(t *testing.T, cfg mcpclient.Config) []string {
	t.Helper()
	var env []string
	if err := json.Unmarshal([]byte(text(t, dial(t, cfg, mcpclient.Events{}), "env", "")), &env); err != nil {
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
		change func(*mcpclient.Config)
		passed map[string]bool
	}{
		{
			"allow-list", func(*mcpclient.Config) {},
			map[string]bool{"PATH=/bin": true, "LC_TIME=C": true, "HTTPS_PROXY=http://proxy": true, "NODE_OPTIONS=--no-warnings": true, "MY_TOKEN=mine": false, "AWS_SECRET_ACCESS_KEY=aws": false},
		},
		{
			"env on top", func(c *mcpclient.Config) { c.Env["PATH"], c.Env["A"] = "/usr/bin", "x=y" },
			map[string]bool{"PATH=/usr/bin": true, "PATH=/bin": false, "A=x=y": true},
		},
		{
			"some more names", func(c *mcpclient.Config) { c.InheritNames = []string{"MY_TOKEN", "NOT_SET"} },
			map[string]bool{"MY_TOKEN=mine": true, "AWS_SECRET_ACCESS_KEY=aws": false, "NOT_SET=": false},
		},
		{
			"everything", func(c *mcpclient.Config) { c.InheritEnv = true },
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

// DEF-34: no variable of ours reaches a server, however its configuration asks.
func TestDEF34OwnVariablesNeverPass(t *testing.T) {
	t.Setenv("TOOLSCRIPT_GATEWAY_URL", "http://127.0.0.1:1/capability")
	t.Setenv("TOOLSCRIPT_DATA_DIR", "/data")
	cfg := config(t)
	cfg.InheritEnv = true
	cfg.InheritNames = []string{"TOOLSCRIPT_GATEWAY_URL"}
	cfg.Env["TOOLSCRIPT_GATEWAY_URL"] = "http://127.0.0.1:1/capability"
	cfg.Env["toolscript_token"] = "capability"
	var w warnings
	c := dial(t, cfg, mcpclient.Events{Log: w.log})
	env := text(t, c, "env", "")
	for _, absent := range []string{"TOOLSCRIPT_", "toolscript_", "capability"} {
		if strings.Contains(env, absent) {
			t.Errorf("%q is in the environment of the server: %s", absent, env)
		}
	}
	wantText(t, "warnings", w.String(), "TOOLSCRIPT_GATEWAY_URL", "toolscript_token")
}
