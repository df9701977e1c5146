//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// unused is the time after which a gateway ends its workers in this section. It then returns memory
// to the system within seconds.
const (
	unused  = time.Second
	shrinks = 5 * time.Second
)

// idleGateway measures the memory of a gateway without servers before and after its
// workers have ended, and the time of the first run after that.
func (b *bench) idleGateway(ctx context.Context) error {
	p := b.Program
	p.Bin = filepath.Join(b.Home, "toolscript")
	if err := copyFile(p.Bin, b.Bin); err != nil {
		return err
	}
	if err := harness.Uncache(p.Bin); err != nil {
		return err
	}
	config, err := b.Config("none.json", `{"mcpServers":{}}`)
	if err != nil {
		return err
	}
	g, err := p.StartGateway(ctx, "--config", config, "--worker-idle", unused.String())
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	var before, after, rss, first, warm []float64
	for round := range 8 {
		begin := time.Now()
		took := func(n int) (float64, error) {
			begin = time.Now()
			_, err := ran(ctx, g, map[string]any{"code": fmt.Sprintf("return %d", 100*round+n), "check": "warn"})
			return milliseconds(time.Since(begin)), err
		}
		ms, err := took(0)
		if err != nil {
			return err
		}
		if round > 0 { // in the first round the gateway was not idle
			first = append(first, ms)
		}
		for n := range 20 {
			if ms, err = took(n + 1); err != nil {
				return err
			}
		}
		warm = append(warm, ms)
		before = append(before, private(g.PID()))
		if err := harness.Until(ctx, func() (bool, error) { return len(harness.Descendants(g.PID())) == 0, nil }); err != nil {
			return err
		}
		idle(ctx, shrinks)
		after = append(after, private(g.PID()))
		resident, err := harness.RSS(g.PID())
		if err != nil {
			return err
		}
		rss = append(rss, resident)
	}
	show("private memory of all processes just after runs, no servers", "MB", before, "")
	show("private memory of all processes when idle, no servers", "MB", after, "≤ 20")
	show("  RSS of the gateway then", "MB", rss, "")
	show("POST /exec, new text, warm", "ms", warm, "")
	show("  the first after the workers have ended, beyond that", "ms", []float64{median(first) - median(warm)}, "≤ 60")
	return nil
}

// private returns the private memory of a process and its descendants, in MB.
func private(pid int) (mb float64) {
	for _, p := range append(harness.Descendants(pid), harness.Process{PID: pid}) {
		if dirty, clean, err := harness.Private(p.PID); err == nil { // an error means that the process has ended
			mb += dirty + clean
		}
	}
	return mb
}

func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // opened for reading
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o700)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		return err
	}
	return target.Close()
}
