//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// A cost holds the times of the runs of a command from start to end.
type cost struct{ wall, cpu []float64 } // in ms; cpu includes all processes that worked for the command

func (c cost) show(what, wall string) {
	show(what+", wall", "ms", c.wall, wall)
	show(what+", CPU", "ms", c.cpu, "")
}

// shell measures `toolscript exec` with the type check, as a user runs it, and `deno run
// --check` of the same scripts.
func (b *bench) shell(ctx context.Context) error {
	deno, err := b.denoRuns(ctx)
	if err != nil {
		return err
	}
	for _, engine := range []struct {
		name, wall  string
		runs, share int
	}{{"quickjs", "≤ 40", 20, 30}, {"deno", "", 8, 0}} {
		if err := b.alone(ctx, engine.name); err != nil {
			return err
		}
		warm, err := b.withGateway(ctx, engine.name, engine.runs)
		if err != nil {
			return err
		}
		warm.show("exec on "+engine.name+", gateway running, new script", engine.wall)
		if engine.share > 0 {
			showRatio("its CPU to that of deno run --check", median(warm.cpu), median(deno.cpu), fmt.Sprintf("≤ %.3f", 1/float64(engine.share)))
		}
	}
	return nil
}

// denoRuns measures Deno with a warm cache and new scripts.
func (b *bench) denoRuns(ctx context.Context) (warm cost, err error) {
	var cold cost
	run := func(c *cost, n, cache int) error {
		file := filepath.Join(b.Home, fmt.Sprintf("deno-%d-%d.ts", cache, n))
		if err := os.WriteFile(file, []byte(scriptNumber(n)), 0o600); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, b.deno, "run", "--check", "--no-config", file)
		cmd.Env = append(os.Environ(), fmt.Sprintf("DENO_DIR=%s/deno-cache-%d", b.Home, cache), "NO_COLOR=1", "DENO_NO_UPDATE_CHECK=1")
		return c.time(cmd, n)
	}
	for n := range 3 {
		if err := run(&cold, n, n); err != nil {
			return warm, err
		}
	}
	for n := range 11 {
		c := &warm
		if n == 0 {
			c = &cost{} // the warm-up
		}
		if err := run(c, n+3, 0); err != nil {
			return warm, err
		}
	}
	cold.show("deno run --check, empty DENO_DIR", "")
	warm.show("deno run --check, new script", "")
	return warm, nil
}

// scriptNumber returns a script with a unique text that prints n.
func scriptNumber(n int) string { return fmt.Sprintf("console.log(%d)", n) }

// time runs a command that must print the number n, and adds its times. CPU time includes the
// processes that the command has waited for.
func (c *cost) time(cmd *exec.Cmd, n int) error {
	begin := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	c.wall = append(c.wall, milliseconds(time.Since(begin)))
	c.cpu = append(c.cpu, milliseconds(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()))
	if want := fmt.Sprintln(n); string(out) != want {
		return fmt.Errorf("%s printed %q, want %q", strings.Join(cmd.Args, " "), out, want)
	}
	return nil
}

// alone measures runs without a gateway: with an empty home folder, and with the compiled engine in
// the cache.
func (b *bench) alone(ctx context.Context, engine string) error {
	var first, later cost
	for home := range 3 {
		p := b.Program
		p.Home = filepath.Join(b.Home, fmt.Sprintf("home-%s-%d", engine, home))
		p.Env = []string{"TOOLSCRIPT_DENO=" + b.deno}
		if err := os.Mkdir(p.Home, 0o700); err != nil {
			return err
		}
		for n := range 4 {
			c := &later
			if n == 0 {
				c = &first
			}
			if err := c.time(p.Command(ctx, "exec", "--engine", engine, scriptNumber(n)), n); err != nil {
				return err
			}
		}
	}
	first.show("exec on "+engine+", no gateway, nothing cached", "")
	later.show("exec on "+engine+", no gateway, engine cached", "")
	return nil
}

// batches is the number of batches for which CPU time is measured. The system counts CPU time in
// ticks of 10 ms, so it is measured for many runs at once.
const batches = 4

// withGateway measures runs in a warm gateway. Their CPU time is that of the command, the gateway
// and the workers.
func (b *bench) withGateway(ctx context.Context, engine string, runs int) (warm cost, err error) {
	b.Env = []string{"TOOLSCRIPT_DENO=" + b.deno}
	config, err := b.Config("none.json", fmt.Sprintf(`{"mcpServers":{},"engine":%q}`, engine))
	if err != nil {
		return warm, err
	}
	g, err := b.StartGateway(ctx, "--config", config)
	if err != nil {
		return warm, err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	run := func(c *cost, n int) error {
		cmd := b.Command(ctx, "exec", "--engine", engine, scriptNumber(n))
		cmd.Env = append(cmd.Env, "TOOLSCRIPT_GATEWAY_URL="+g.URL)
		return c.time(cmd, n)
	}
	for n := range runs {
		if err := run(&cost{}, n); err != nil { // the warm-up
			return warm, err
		}
	}
	for batch := range batches {
		idle(ctx, time.Second) // until the work after a run is done
		before := harness.CPU(g.PID())
		var clients cost
		for n := range runs {
			if err := run(&clients, (batch+1)*runs+n); err != nil {
				return warm, err
			}
		}
		idle(ctx, time.Second)
		cpu := milliseconds(harness.CPU(g.PID()) - before)
		for _, ms := range clients.cpu {
			cpu += ms
		}
		warm.wall = append(warm.wall, clients.wall...)
		warm.cpu = append(warm.cpu, cpu/float64(runs))
	}
	return warm, nil
}
