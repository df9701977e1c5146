//go:build linux

package main

import (
	"context"
	"fmt"
	"regexp"
	"time"
)

const (
	replayRounds = 20
	replayCalls  = 100
)

var recordedRun = regexp.MustCompile(`runs replay (run_[0-9a-f]{16})`)

// replay measures the whole process of `toolscript runs replay` for a script with 100 calls.
func (b *bench) replay(ctx context.Context) error {
	config, err := b.Config("echo.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q]}}}`, b.self, asServer))
	if err != nil {
		return err
	}
	code := fmt.Sprintf("for (let i = 0; i < %d; i++) %s", replayCalls, echoCall)
	said, err := b.Command(ctx, "exec", "--config", config, "--record", code).CombinedOutput()
	found := recordedRun.FindSubmatch(said)
	if err != nil || found == nil {
		return fmt.Errorf("the run was not recorded: %w: %s", err, said)
	}
	var took, burned, ratios []float64
	for i := range replayRounds + 2 {
		wall, cpu, err := b.timed(ctx, "runs", "replay", string(found[1]))
		if err != nil {
			return fmt.Errorf("the replay failed: %w", err)
		}
		_, start, err := b.timed(ctx, "--version")
		if err != nil {
			return err
		}
		if i >= 2 { // the warm-up
			took, burned, ratios = append(took, wall), append(burned, cpu), append(ratios, cpu/start)
		}
	}
	show("runs replay of 100 calls, whole process", "ms", took, "≤ 50")
	show("CPU of it, with its sandbox", "ms", burned, "")
	show("that to the CPU of toolscript --version", "", ratios, "")
	return nil
}

// timed runs a command, and returns its wall time and the CPU time of the command and its children,
// in milliseconds.
func (b *bench) timed(ctx context.Context, args ...string) (wall, cpu float64, err error) {
	c := b.Command(ctx, args...)
	begin := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, out)
	}
	return milliseconds(time.Since(begin)), milliseconds(c.ProcessState.UserTime() + c.ProcessState.SystemTime()), nil
}
