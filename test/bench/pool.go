//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// pool compares runs in a sandbox of the gateway with runs of the same scripts in a sandbox of a
// fleet, whose NATS server and hub are on this machine. The runs alternate.
func (b *bench) pool(ctx context.Context) error {
	url, stop, err := b.child(ctx, asNATS)
	if err != nil {
		return err
	}
	defer stop()
	servers := fmt.Sprintf(`"mcpServers":{"s":{"command":%q,"args":[%q]}},"fleet":{"url":%q}`, b.self, asServer, url)
	local, err := b.Config("local.json", "{"+servers+"}")
	if err != nil {
		return err
	}
	remote, err := b.Config("remote.json", "{"+servers+`,"limits":{"pool":"fleet"}}`)
	if err != nil {
		return err
	}
	file, err := b.Config("runners.json", fmt.Sprintf(`{"mcpServers":{},"fleet":{"url":%q}}`, url))
	if err != nil {
		return err
	}
	begun := time.Now()
	runners := b.Command(ctx, "hub", "--runners", "1", "--config", file)
	out, err := runners.StdoutPipe()
	if err != nil {
		return err
	}
	runners.Stderr = os.Stderr
	if err := runners.Start(); err != nil {
		return err
	}
	defer func() {
		_ = runners.Process.Signal(syscall.SIGTERM) // it may have ended already
		_ = runners.Wait()                          // the measurement is done
	}()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("the hub says %q: %w", line, err)
	}
	show("hub --runners, until it can be used", "ms", []float64{milliseconds(time.Since(begun))}, "≤ 150")
	here, err := b.gateway(ctx, local)
	if err != nil {
		return err
	}
	defer here.Stop() //nolint:errcheck // the measurement is done
	there, err := b.gateway(ctx, remote)
	if err != nil {
		return err
	}
	defer there.Stop() //nolint:errcheck // the measurement is done
	for _, of := range []struct{ what, code string }{
		{"a script without a call", `return 1`},
		{"a script with 10 calls, one after the other", `for (let i = 0; i < 10; i++) await tools.s.echo({ text: "x" })`},
	} {
		var own, beyond []float64
		for i := range 60 {
			a, err := timed(ctx, here.Exec, of.code)
			if err != nil {
				return err
			}
			c, err := timed(ctx, there.Exec, of.code)
			if err != nil {
				return err
			}
			if i >= 10 { // after the warm-up
				own, beyond = append(own, a), append(beyond, c-a)
			}
		}
		show(of.what+" in a sandbox of the gateway", "ms", own, "")
		show("  more in a sandbox of the fleet", "ms", beyond, "")
	}
	return nil
}

// timed runs a script and returns the duration in milliseconds.
func timed(ctx context.Context, exec func(context.Context, map[string]any) ([]map[string]any, error), code string) (float64, error) {
	begun := time.Now()
	events, err := exec(ctx, map[string]any{"code": code})
	took := milliseconds(time.Since(begun))
	if err == nil && events[len(events)-1]["ok"] != true {
		err = fmt.Errorf("a run failed: %v", events[len(events)-1])
	}
	return took, err
}
