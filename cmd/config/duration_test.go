package config_test

import (
	"testing"
	"time"

	"github.com/toolscript/toolscript/cmd/config"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "1500": 1500 * time.Millisecond, "500ms": 500 * time.Millisecond, "1s": time.Second, "5m": 5 * time.Minute,
		"1h30m": 90 * time.Minute, "1.5s": 1500 * time.Millisecond,
	} {
		if got, err := config.ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "-1s", "5 m", "1.5", "9223372036854775807", "99999999999999999999", "9999999h"} {
		if got, err := config.ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %s, want an error", text, got)
		}
	}
}
