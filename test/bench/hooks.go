//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// hookRounds is the number of measured sessions.
const hookRounds = 11

// hooks measures the hooks of the Claude Code plugin through its launcher. This
// program is the client. Ten servers are configured that never answer.
func (b *bench) hooks(ctx context.Context) error {
	p, err := b.hookWorld()
	if err != nil {
		return err
	}
	tool := map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "toolscript exec - <<'TS'\nreturn 1\nTS"}}
	measured := map[string][]float64{}
	for round := range hookRounds + 1 {
		session := map[string]any{"session_id": fmt.Sprint("bench-", round), "cwd": p.Home, "source": "startup", "reason": "other"}
		for _, step := range []struct {
			name, hook string
			input      map[string]any
		}{
			{"SessionStart, a new gateway", "session-start", session},
			{"SessionStart after /clear, the gateway stays", "session-start", session},
			{"PreToolUse", "pre-tool-use", tool},
			{"SessionEnd", "session-end", session},
		} {
			ms, err := hook(ctx, p, step.hook, step.input)
			if err != nil {
				return err
			}
			if round > 0 { // after the warm-up
				measured[step.name] = append(measured[step.name], ms)
			}
		}
	}
	show("SessionStart, a new gateway", "ms", measured["SessionStart, a new gateway"], "≤ 300")
	show("SessionStart after /clear, the gateway stays", "ms", measured["SessionStart after /clear, the gateway stays"], "≤ 300")
	show("PreToolUse", "ms", measured["PreToolUse"], "≤ 60")
	show("SessionEnd", "ms", measured["SessionEnd"], "≤ 100")
	return nil
}

// hookWorld creates a home folder with a configuration.
func (b *bench) hookWorld() (harness.Program, error) {
	p := b.Program
	p.Home = filepath.Join(b.Home, "hooks")
	if err := os.Mkdir(p.Home, 0o700); err != nil {
		return p, err
	}
	var servers []string
	for n := range 10 {
		servers = append(servers, fmt.Sprintf(`"s%d": {"command": "sleep", "args": ["60"]}`, n))
	}
	text := `{"mcpServers": {` + strings.Join(servers, ", ") + `}}`
	_, err := p.Config(".toolscript.json", text)
	return p, err
}

// hook runs one hook and returns its time in ms.
func hook(ctx context.Context, p harness.Program, name string, input map[string]any) (float64, error) {
	launcher, err := filepath.Abs("plugins/toolscript/bin/toolscript")
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(input)
	if err != nil {
		return 0, err
	}
	cmd := p.Command(ctx, "hook", name)
	cmd.Path = launcher
	cmd.Env = append(cmd.Env, "CLAUDE_PID="+strconv.Itoa(os.Getpid()), "CLAUDE_PROJECT_DIR="+p.Home)
	cmd.Stdin = strings.NewReader(string(text))
	var errs strings.Builder
	cmd.Stderr = &errs
	begin := time.Now()
	out, err := cmd.Output()
	took := milliseconds(time.Since(begin))
	if err != nil || strings.Contains(string(out), "systemMessage") || (name == "pre-tool-use") != strings.Contains(string(out), `"allow"`) {
		return 0, fmt.Errorf("hook %s printed %q: %w\n%s", name, out, err, errs.String())
	}
	return took, nil
}
