//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// call measures `toolscript call` through a running gateway: its time, and the CPU time of the
// command, the gateway and the workers together.
func (b *bench) call(ctx context.Context) error {
	config, err := b.Config("call.json", `{"mcpServers":{"files":{"type":"builtin","root":".","tools":["listDir"]}}}`)
	if err != nil {
		return err
	}
	g, err := b.StartGateway(ctx, "--config", config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	const runs = 30
	run := func(c *cost) error {
		cmd := b.Command(ctx, "call", "files.listDir", "dirPath=.", "depth=1")
		cmd.Env = append(cmd.Env, "TOOLSCRIPT_GATEWAY_URL="+g.URL)
		begin := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		c.wall = append(c.wall, milliseconds(time.Since(begin)))
		c.cpu = append(c.cpu, milliseconds(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()))
		return nil
	}
	var all cost
	for batch := range batches + 1 {
		idle(ctx, time.Second) // until the work after a call is done
		before := harness.CPU(g.PID())
		var c cost
		for range runs {
			if err := run(&c); err != nil {
				return err
			}
		}
		idle(ctx, time.Second)
		if batch == 0 { // the warm-up
			continue
		}
		cpu := milliseconds(harness.CPU(g.PID()) - before)
		for _, ms := range c.cpu {
			cpu += ms
		}
		all.wall = append(all.wall, c.wall...)
		all.cpu = append(all.cpu, cpu/runs)
	}
	show("toolscript call through a gateway, wall", "ms", all.wall, "")
	show("toolscript call through a gateway, CPU", "ms", all.cpu, "≤ 25")
	return nil
}
