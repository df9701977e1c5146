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

// replay measures toolscript runs replay of a script with 100 calls: the whole process.
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
	var took []float64
	for i := range replayRounds + 2 {
		begin := time.Now()
		if out, err := b.Command(ctx, "runs", "replay", string(found[1])).CombinedOutput(); err != nil {
			return fmt.Errorf("the replay failed: %w: %s", err, out)
		}
		if i >= 2 { // the warm-up
			took = append(took, milliseconds(time.Since(begin)))
		}
	}
	show("runs replay of 100 calls, whole process", "ms", took, "≤ 50")
	return nil
}
