//go:build linux

package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if !role(os.Args) {
		os.Exit(m.Run())
	}
}

// TestRun runs a small fleet through all steps. Each step fails if a gateway does not get its servers,
// its tools or its answers.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	var out strings.Builder
	s := sizes{gateways: 20, servers: 3, tools: 5, hubs: 2, calls: 500, atOnce: 8, idle: 100 * time.Millisecond}
	if err := run(t.Context(), s, &out); err != nil {
		t.Fatalf("%v after:\n%s", err, out.String())
	}
	for _, step := range []string{"join: ", "idle, ", "500 calls, ", "changed tools ", "a hub killed: ", "a NATS server killed: "} {
		if !strings.Contains(out.String(), "\n"+step) {
			t.Errorf("no line begins with %q:\n%s", step, out.String())
		}
	}
}
