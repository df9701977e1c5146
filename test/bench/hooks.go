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

	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/toolslist"
)

// hookRounds is the number of measured sessions.
const hookRounds = 11

// hooks measures the hooks of the Claude Code plugin through its launcher, with this program as the client.
// Ten servers are configured that never answer; the tool lists of real servers are cached for them.
func (b *bench) hooks(ctx context.Context) error {
	p, tools, err := b.hookWorld()
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
			{"UserPromptSubmit", "user-prompt-submit", map[string]any{"session_id": session["session_id"], "cwd": p.Home, "prompt": benchPrompt}},
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
	show(fmt.Sprintf("UserPromptSubmit, %d tools", tools), "ms", measured["UserPromptSubmit"], "≤ 150")
	show("PreToolUse", "ms", measured["PreToolUse"], "≤ 60")
	show("SessionEnd", "ms", measured["SessionEnd"], "≤ 100")
	return nil
}

// benchPrompt needs a tool that is in every collection of tool lists.
const benchPrompt = "List the open issues of the repository on GitHub that have the label bug, and summarise them"

// hookWorld creates a home folder with a configuration and cached tool lists, and returns the number
// of their tools.
func (b *bench) hookWorld() (p harness.Program, tools int, err error) {
	p = b.Program
	p.Home = filepath.Join(b.Home, "hooks")
	if err := os.Mkdir(p.Home, 0o700); err != nil {
		return p, 0, err
	}
	lists, err := toolslist.Read(toolslist.Dir("."))
	if err != nil {
		return p, 0, err
	}
	servers := map[string]any{}
	for n := range 10 {
		name := fmt.Sprint("s", n)
		if at := len(lists) - 1 - n; at >= 0 {
			name = lists[at].Server
		}
		servers[name] = map[string]any{"command": "sleep", "args": []string{"60"}}
	}
	servers["github"] = servers[lists[len(lists)-1].Server]
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		return p, 0, err
	}
	if _, err := p.Config(config.FileName, string(text)); err != nil {
		return p, 0, err
	}
	tools, err = keepLists(p, lists)
	return p, tools, err
}

// keepLists caches the tool lists of the configured servers.
func keepLists(p harness.Program, lists []toolslist.List) (tools int, err error) {
	loaded, err := config.Load(config.Options{WorkDir: p.Home, LookupEnv: func(name string) (string, bool) {
		if name == "HOME" {
			return p.Home, true
		}
		return "", false
	}})
	if err != nil {
		return 0, err
	}
	folder := filepath.Join(p.Home, ".toolscript", "cache", "tools")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, err
	}
	for _, l := range lists {
		c, configured := loaded.Servers[l.Server]
		if !configured {
			continue
		}
		tools += len(l.Tools)
		if err := server.ToolLists(folder).Keep(l.Server, c, l.Tools); err != nil {
			return 0, err
		}
	}
	return tools, nil
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
	if err != nil || strings.Contains(string(out), "systemMessage") || (name == "pre-tool-use") != strings.Contains(string(out), `"allow"`) ||
		(name == "user-prompt-submit") != strings.Contains(string(out), "additionalContext") {
		return 0, fmt.Errorf("hook %s printed %q: %w\n%s", name, out, err, errs.String())
	}
	return took, nil
}
