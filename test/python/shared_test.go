//go:build proof && linux

package python

import (
	"context"
	"encoding/json"
	"testing"
)

// TestShared: two gateways use one process of each server, in a hub.
func TestShared(t *testing.T) {
	all := servers(t, t.TempDir())
	for name, s := range all {
		s.Shared = true
		all[name] = s
	}
	p := newProgram(t, all)
	t.Cleanup(func() {
		if out, err := p.Command(context.WithoutCancel(t.Context()), "hub", "stop").CombinedOutput(); err != nil {
			t.Errorf("hub stop: %v: %s", err, out)
		}
	})
	a := start(t, p, "a")
	b := start(t, p, "b")
	out, err := p.Command(t.Context(), "status", "hub", "--json").Output()
	var hub struct {
		Gateways []struct{ PID int }
		Servers  []struct {
			Name          string
			PID, Gateways int
		}
	}
	if err != nil || json.Unmarshal(out, &hub) != nil || len(hub.Gateways) != 2 {
		t.Fatalf("status hub: %v: %s", err, out)
	}
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			reports(t, name, "shared", "ok")
			found := 0
			for _, h := range hub.Servers {
				if h.Name == name && h.Gateways == 2 && h.PID > 0 {
					found++
				}
			}
			if found != 1 {
				t.Errorf("%d processes that two gateways use, want one: %s", found, out)
			}
			run(t, a, s)
			run(t, b, s)
		})
	}
}
