//go:build proof && linux

package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/clients/model"
	pypi "github.com/toolscript/toolscript/test/fixture/python"
	"github.com/toolscript/toolscript/test/harness"
)

// A library is a client library, with a folder that contains a program that uses it.
type library struct {
	name   string
	pkg    string
	folder string
	direct bool // whether the program makes the calls itself, without a model
	images images
}

var python = []library{
	{name: "Python SDK 1", pkg: "mcp", folder: "mcp1", direct: true},
	{name: "Python SDK 2", pkg: "mcp", folder: "mcp2", direct: true},
	{name: "FastMCP 2", pkg: "fastmcp", folder: "fastmcp2", direct: true},
	{name: "FastMCP 3", pkg: "fastmcp", folder: "fastmcp3", direct: true},
	{name: "FastMCP 4", pkg: "fastmcp", folder: "fastmcp4", direct: true},
	{name: "LangChain", pkg: "langchain-mcp-adapters", folder: "langchain"},
	{name: "OpenAI Agents", pkg: "openai-agents", folder: "openai-agents"},
	{name: "Pydantic AI", pkg: "pydantic-ai-slim", folder: "pydantic-ai"},
	{name: "CrewAI", pkg: "crewai", folder: "crewai", images: dropped},
	{name: "Google ADK", pkg: "google-adk", folder: "google-adk", images: written},
}

// TestPython runs each task with the program of each Python library, over stdio and HTTP.
func TestPython(t *testing.T) {
	t.Parallel()
	for _, l := range python {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			interpreter := environment(t, l.folder)
			version, err := pinned(l)
			if err != nil {
				t.Fatal(err)
			}
			l.do(t, version, []string{interpreter, mustAbs(t, "python", l.folder, "program.py")}, func(url string) []string {
				return []string{
					"PYTHONPATH=" + mustAbs(t, "python", "suite"), "PYTHONDONTWRITEBYTECODE=1", "OTEL_SDK_DISABLED=true", "CREWAI_DISABLE_TELEMETRY=true",
					"GOOGLE_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + url,
				}
			})
		})
	}
}

var node = []library{
	{name: "TypeScript SDK 1", pkg: "@modelcontextprotocol/sdk", folder: "sdk1", direct: true},
	{name: "TypeScript SDK 2", pkg: "@modelcontextprotocol/client", folder: "sdk2", direct: true},
	{name: "mcp-use", pkg: "mcp-use", folder: "mcp-use", direct: true},
	{name: "AI SDK", pkg: "@ai-sdk/mcp", folder: "ai-sdk", images: written},
	{name: "LangChain.js", pkg: "@langchain/mcp-adapters", folder: "langchain"},
	{name: "Mastra", pkg: "@mastra/mcp", folder: "mastra", images: written},
	{name: "OpenAI Agents JS", pkg: "@openai/agents", folder: "openai-agents"},
}

// TestNode runs each task with the program of each Node library, over stdio and HTTP.
func TestNode(t *testing.T) {
	t.Parallel()
	for _, l := range node {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			l.do(t, version(t, l.pkg), []string{filepath.Join(nodeFolder, "node"), mustAbs(t, "node", l.folder+".mjs")}, func(string) []string {
				return []string{"MASTRA_TELEMETRY_DISABLED=1", "MCP_USE_ANONYMIZED_TELEMETRY=false"}
			})
		})
	}
}

// do runs the library's program over each transport.
func (l library) do(t *testing.T, version string, program []string, env func(url string) []string) {
	t.Helper()
	for _, transport := range []string{"stdio", "HTTP"} {
		t.Run(transport, func(t *testing.T) {
			w := newWorld(t)
			w.env = append(append(w.env, env(w.model.URL)...), "MODEL_URL="+w.model.URL)
			if transport == "HTTP" {
				w.env = append(w.env, "MCP_URL="+w.gateway(t).URL+"/mcp")
			}
			cmd := w.command(t, program[0], program[1:]...)
			cmd.Stdin = strings.NewReader(input(t))
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			direct, wrong := results(string(out))
			if err = errors.Join(err, wrong); err != nil {
				t.Errorf("%v\n%.2000s\n%s", err, out, tail(stderr.String()))
			}
			for _, task := range tasks {
				c := w.model.Conversation(task.name)
				if l.direct {
					c = model.Conversation{Results: direct[task.name], Final: true}
				}
				fault := task.fault(c, l.images)
				if fault != "" {
					t.Errorf("%s: %s", task.name, fault)
				}
				report(l.name+", "+transport, version, task, fault == "", c, l.images)
			}
		})
	}
}

func mustAbs(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tail returns the last 4,000 bytes of a text.
func tail(text string) string { return text[max(0, len(text)-4000):] }

// input returns the tasks in the format that the programs read.
func input(t *testing.T) string {
	t.Helper()
	type item struct {
		Name   string       `json:"name"`
		Prompt string       `json:"prompt"`
		Calls  []model.Call `json:"calls"`
	}
	var all []item
	for _, task := range tasks {
		all = append(all, item{task.name, model.Prompt(task.name), task.calls})
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// results returns, by task, the results of calls that a program has made without a model.
func results(out string) (all map[string][]model.Result, err error) {
	for line := range strings.Lines(out) {
		if text, is := strings.CutPrefix(line, "RESULTS "); is {
			err = errors.Join(err, json.Unmarshal([]byte(text), &all))
		}
	}
	return all, err
}

// gateway starts a gateway in the world.
func (w *world) gateway(t *testing.T) *harness.Gateway {
	t.Helper()
	p := harness.Program{Bin: w.program, Home: w.home, Env: w.env}
	g, err := p.StartGateway(context.WithoutCancel(t.Context())) // it ends with Stop
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := g.Ready(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, g.Log())
	}
	return g
}

// pinned returns the version of a library in its requirements.txt.
func pinned(l library) (string, error) {
	text, err := os.ReadFile(filepath.Join("python", l.folder, "requirements.txt"))
	for line := range strings.Lines(string(text)) {
		if version, is := strings.CutPrefix(strings.TrimSpace(line), l.pkg+"=="); is {
			return version, nil
		}
	}
	return "", errors.Join(fmt.Errorf("no version of %s in requirements.txt", l.pkg), err)
}

// environment returns the Python interpreter of an environment with the requirements of a folder. Without
// Python or a network, it skips the test.
func environment(t *testing.T, folder string) string {
	t.Helper()
	if err := pypi.Missing(); err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	interpreter, err := pypi.Environment(filepath.Join("python", folder, "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return interpreter
}
