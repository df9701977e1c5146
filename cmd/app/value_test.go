package app

import (
	"testing"
	"time"
)

func TestFlagValues(t *testing.T) {
	var (
		duration Duration
		memory   = Count{Unit: "MB"}
		port     Port
		level    = Choice{Choices: []string{"info", "warn"}}
	)
	for _, tt := range []struct {
		name string
		set  func(string) error
		text string
		ok   bool
	}{
		{"a duration with a unit", duration.Set, "2m", true},
		{"another one", duration.Set, "1.5s", true},
		{"a number without a unit", duration.Set, "5", false},
		{"a larger number without a unit", duration.Set, "500", false},
		{"a fraction without a unit", duration.Set, "1.5", false},
		{"no time at all", duration.Set, "0s", false},
		{"a negative time", duration.Set, "-1s", false},
		{"no duration", duration.Set, "soon", false},
		{"memory", memory.Set, "64", true},
		{"no memory", memory.Set, "0", false},
		{"memory with a unit", memory.Set, "64MB", false},
		{"any free port", port.Set, "0", true},
		{"the highest port", port.Set, "65535", true},
		{"a port beyond", port.Set, "65536", false},
		{"a negative port", port.Set, "-1", false},
		{"a choice in capitals", level.Set, "WARN", true},
		{"no choice", level.Set, "loud", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.set(tt.text); (err == nil) != tt.ok {
				t.Errorf("Set(%q) = %v, want ok = %v", tt.text, err, tt.ok)
			}
		})
	}
	if duration != Duration(1500*time.Millisecond) || memory.N != 64 || port != 65535 || level.Value != "warn" {
		t.Errorf("kept %v, %v, %v, %v: a bad value must not replace a good one", &duration, memory.N, port, level.Value)
	}
}
