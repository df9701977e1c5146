//go:build proof && linux

package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/test/clients/model"
	"github.com/toolscript/toolscript/test/fixture/files"
	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/test/harness"
)

// An agent is a coding agent from npm that runs without a terminal.
type agent struct {
	name    string
	program string // file name below node_modules/.bin
	pkg     string // name of the npm package in package.json
	connect string // its name for toolscript connect; "" if it is configured by files
	files   func(w *world) map[string]string
	env     func(t *testing.T, url string) []string
	first   func(w *world) []string // arguments of a command that runs before the tasks
	args    []string                // arguments before the prompt
	images  images
}

var agents = []agent{
	{
		name: "Claude Code", program: "claude", pkg: "@anthropic-ai/claude-code", connect: "claude-code",
		env: func(_ *testing.T, url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "IS_SANDBOX=1"}
		},
		args: []string{"-p", "--dangerously-skip-permissions"},
	},
	{
		name: "Codex", program: "codex", pkg: "@openai/codex", connect: "codex",
		files: func(w *world) map[string]string {
			return map[string]string{".codex/config.toml": fmt.Sprintf(`model = %q
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
env_key = "MODEL_KEY"
wire_api = "responses"
`, model.Name, w.model.URL)}
		},
		env:  func(*testing.T, string) []string { return []string{"MODEL_KEY=none"} },
		args: []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"},
	},
	{
		name: "Gemini CLI", program: "gemini", pkg: "@google/gemini-cli", connect: "gemini",
		files: func(*world) map[string]string {
			return map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`}
		},
		env: func(_ *testing.T, url string) []string {
			return []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + url}
		},
		args: []string{"--skip-trust", "-y", "-m", "gemini-2.5-pro", "-p"},
	},
	{
		name: "Qwen Code", program: "qwen", pkg: "@qwen-code/qwen-code", connect: "qwen",
		env: func(_ *testing.T, url string) []string {
			return []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=" + sees}
		},
		args: []string{"--auth-type", "openai", "-y", "-m", sees, "-p"},
	},
	{
		name: "opencode", program: "opencode", pkg: "opencode-ai", connect: "opencode",
		files: func(w *world) map[string]string {
			return map[string]string{".config/opencode/opencode.json": likeOpencode(w.model.URL)}
		},
		args: []string{"run", "-m", "scripted/" + model.Name},
	},
	{
		name: "Kilo", program: "kilo", pkg: "@kilocode/cli", connect: "kilo",
		files: func(w *world) map[string]string {
			return map[string]string{".config/kilo/kilo.json": likeOpencode(w.model.URL)}
		},
		args: []string{"run", "--auto", "-m", "scripted/" + model.Name},
	},
	{
		name: "Copilot CLI", program: "copilot", pkg: "@github/copilot", connect: "copilot",
		env: func(_ *testing.T, url string) []string {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=" + sees, "COPILOT_OFFLINE=true"}
		},
		args:   []string{"--allow-all-tools", "-p"},
		images: dropped, // images of every MCP server, if the model is not one of GitHub
	},
	{
		name: "Cline", program: "cline", pkg: "cline", connect: "cline",
		env: func(t *testing.T, _ string) []string { // otherwise its background process uses a fixed port
			t.Helper()
			ports, err := harness.FreePorts(1)
			if err != nil {
				t.Fatal(err)
			}
			return []string{fmt.Sprintf("CLINE_HUB_PORT=%d", ports[0])}
		},
		first: func(w *world) []string {
			return []string{"auth", "-p", "openai-compatible", "-k", "none", "-m", sees, "-b", w.model.URL + "/v1"}
		},
		args:   []string{"-P", "openai-compatible", "-m", sees},
		images: written,
	},
	{
		name: "Continue", program: "cn", pkg: "@continuedev/cli",
		files: func(w *world) map[string]string {
			return map[string]string{".continue/config.yaml": fmt.Sprintf(`name: scripted
version: 1.0.0
schema: v1
models:
  - {name: scripted, provider: openai, model: %s, apiBase: "%s/v1", apiKey: none, roles: [chat], capabilities: [tool_use, image_input]}
mcpServers:
  - {name: toolscript, command: toolscript, args: [mcp]}
`, sees, w.model.URL)}
		},
		args:   []string{"-p", "--auto", "--config", "../.continue/config.yaml"},
		images: written,
	},
}

// sees is the name of a model that agents know to accept images.
const sees = "gpt-4o"

// likeOpencode returns a configuration of opencode's format with a model that accepts images.
func likeOpencode(url string) string {
	return fmt.Sprintf(`{
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {"baseURL": "%s/v1", "apiKey": "none"},
      "models": {%q: {"attachment": true, "tool_call": true, "modalities": {"input": ["text", "image"], "output": ["text"]}}}
    }
  }
}
`, url, model.Name)
}

// bound is the time limit of an agent for one task.
const bound = 3 * time.Minute

// TestAgents runs each task with each agent, in its own home folder, configured by the command
// toolscript connect.
func TestAgents(t *testing.T) {
	t.Parallel()
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			program, err := filepath.Abs("node_modules/.bin/" + a.program)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(program); err != nil {
				t.Fatalf("%v\nthe test needs it: npm install --no-save --prefix test/clients", err)
			}
			w := newWorld(t)
			if a.files != nil {
				w.write(t, a.files(w))
			}
			if a.env != nil {
				w.env = append(w.env, a.env(t, w.model.URL)...)
			}
			if a.connect != "" {
				if out, err := w.command(t, w.program, "connect", a.connect, "--yes").CombinedOutput(); err != nil {
					t.Fatalf("toolscript connect %s: %v\n%s", a.connect, err, out)
				}
			}
			if a.first != nil {
				if out, err := w.command(t, program, a.first(w)...).CombinedOutput(); err != nil {
					t.Fatalf("%s %q: %v\n%s", a.program, a.first(w), err, out)
				}
			}
			for _, task := range tasks {
				ok := t.Run(task.name, func(t *testing.T) {
					out, err := w.command(t, program, append(a.args, model.Prompt(task.name))...).CombinedOutput()
					c := w.model.Conversation(task.name)
					if fault := task.fault(c, a.images); fault != "" || err != nil {
						t.Fatalf("%s\n%v\n%.4000s", fault, err, out)
					}
				})
				if c := w.model.Conversation(task.name); c.Turns > 0 || !ok {
					report(a.name, version(t, a.pkg), task, ok, c, a.images)
				}
			}
		})
	}
}

// A world is the machine of a user: a home folder, a project in it, and the model.
type world struct {
	program, home, project string
	model                  *model.Endpoint
	env                    []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{program: filepath.Join(base, "bin", "toolscript"), home: base, project: filepath.Join(base, "project"), model: model.Start(scripted())}
	t.Cleanup(w.model.Close)
	t.Cleanup(func() { w.nothingLeft(t) })
	if err := os.Mkdir(filepath.Dir(w.program), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := files.Link(built, w.program, 0o755); err != nil {
		t.Fatal(err)
	}
	w.write(t, map[string]string{
		"project/.git/HEAD": "ref: refs/heads/main\n",
		".toolscript.json":  `{"mcpServers": {"everything": {"command": "mcp-server-everything", "args": ["stdio"]}}}`,
	})
	w.env = []string{
		"HOME=" + w.home, "TERM=dumb", "LANG=C.UTF-8",
		"PATH=" + strings.Join([]string{filepath.Dir(w.program), nodeFolder, peers, os.Getenv("PATH")}, ":"),
	}
	return w
}

// write writes files into the home folder.
func (w *world) write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(w.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// command returns a command that runs in the project's folder.
func (w *world) command(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), pace.Limit(bound))
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = w.project, w.env
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// nothingLeft ends processes that an agent has left behind, and waits for the end of toolscript and
// of its servers.
func (w *world) nothingLeft(t *testing.T) {
	t.Helper()
	own := func(p harness.Process) bool {
		return len(p.Args) > 0 && (filepath.Base(p.Args[0]) == "toolscript" || p.Args[0] == proc.ProcessName ||
			slices.Contains(p.Args, filepath.Join(peers, "mcp-server-everything")))
	}
	started := harness.Program{Bin: w.program, Home: w.home}.Started
	for _, p := range started() {
		if !own(p) {
			_ = syscall.Kill(p.PID, syscall.SIGKILL) // it may have ended already
		}
	}
	var left []harness.Process
	err := harness.Until(context.WithoutCancel(t.Context()), func() (bool, error) {
		left = slices.DeleteFunc(started(), func(p harness.Process) bool { return !own(p) })
		return len(left) == 0, nil
	})
	if err != nil {
		t.Errorf("processes are left: %v: %v", err, left)
	}
}
