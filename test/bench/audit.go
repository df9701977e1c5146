//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

const (
	auditRounds = 40
	auditCalls  = 500 // calls per script
)

// audit compares two alternating gateways that differ only in their audit: the time of a call, and
// the throughput of parallel calls.
func (b *bench) audit(ctx context.Context) error {
	config, err := b.Config("echo.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q]}}}`, b.self, asServer))
	if err != nil {
		return err
	}
	user := filepath.Join(b.Home, ".toolscript.json")
	var gateways [2]*harness.Gateway
	for i, enabled := range []bool{true, false} {
		if err := os.WriteFile(user, fmt.Appendf(nil, `{"mcpServers":{},"audit":{"enabled":%t}}`, enabled), 0o600); err != nil {
			return err
		}
		if gateways[i], err = b.gateway(ctx, config, "--force"); err != nil {
			return err
		}
		defer gateways[i].Stop() //nolint:errcheck // the measurement is done
	}
	if err := os.Remove(user); err != nil {
		return err
	}
	limits := map[string]any{"concurrency": 64}
	row := fmt.Sprintf("for (let i = 0; i < %d; i++) %s", auditCalls, echoCall)
	parallel := fmt.Sprintf("await Promise.all(Array.from({ length: %d }, () => tools.s.echo({ text: \"x\" })))", auditCalls)
	var serial, together, cpu [2][]float64
	for i := range auditRounds + 5 {
		for j := range gateways {
			g := gateways[(i+j)%2]
			side := (i + j) % 2
			before := harness.Scheduled(g.PID())
			one, err := ran(ctx, g, map[string]any{"code": row})
			if err != nil {
				return err
			}
			many, err := ran(ctx, g, map[string]any{"code": parallel, "limits": limits})
			if err != nil {
				return err
			}
			time.Sleep(50 * time.Millisecond) // until the audit is written
			if i < 5 {
				continue
			}
			serial[side] = append(serial[side], one.RunMs*1000/auditCalls)
			together[side] = append(together[side], many.RunMs)
			cpu[side] = append(cpu[side], 1000*milliseconds(harness.Scheduled(g.PID())-before)/(2*auditCalls))
		}
	}
	var adds, burns, costs []float64 // differences of neighbours in time, because other programs disturb both alike
	for i := range serial[0] {
		adds = append(adds, serial[0][i]-serial[1][i])
		burns = append(burns, cpu[0][i]-cpu[1][i])
		costs = append(costs, 100*(1-together[1][i]/together[0][i]))
	}
	show("what the audit adds to a call", "µs", adds, "≤ 20")
	show("CPU of the gateway that it adds to a call", "µs", burns, "")
	show("throughput of parallel calls that it costs", "%", costs, "≤ 5")
	return audited(ctx, gateways[0])
}

// audited returns an error if the gateway has not written its audit.
func audited(ctx context.Context, g *harness.Gateway) error {
	var status struct {
		Audit struct{ Written, Dropped int64 }
	}
	if _, err := g.Get(ctx, "/status", &status); err != nil {
		return err
	}
	if want := int64((auditRounds + 5) * 2 * auditCalls); status.Audit.Written < want || status.Audit.Dropped > 0 {
		return fmt.Errorf("the audit has %d lines and dropped %d, want %d and none", status.Audit.Written, status.Audit.Dropped, want)
	}
	fmt.Printf("%-62s %9d\n", "lines of the audit written, none dropped", status.Audit.Written)
	return nil
}
