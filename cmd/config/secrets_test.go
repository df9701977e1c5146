package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/config"
)

func TestSecrets(t *testing.T) {
	s := config.Settings{
		Search:    config.Search{Remote: config.Remote{Key: "k1"}},
		Harness:   config.Harness{Providers: map[string]config.Provider{"openai": {Key: "k2"}}},
		Telemetry: config.Telemetry{Headers: map[string]string{"Authorization": "Bearer k3", "X-Key": "k4"}},
	}
	want := map[string]string{
		"(search.remote.key)": "k1", "(key of provider openai)": "k2", "(header X-Key of telemetry)": "k4",
		"(header Authorization of telemetry)": "Bearer k3", "(token of Authorization of telemetry)": "k3",
	}
	if diff := cmp.Diff(want, s.Secrets()); diff != "" {
		t.Error(diff)
	}
}
