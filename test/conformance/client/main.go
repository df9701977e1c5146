// Command client is the client for the MCP conformance suite: it uses the project's transport and
// logins, without the gateway. The suite passes the address of a server as the last argument and a
// scenario in the environment. The client connects, lists the tools and calls all
// of them, or loads a skill.
//
//	client [-binary FILE] URL
//
// With -binary, that toolscript binary does the same in a script.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

func main() {
	binary := flag.String("binary", "", "a toolscript to drive")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second) // the suite's own limit is 30 s
	err := errors.New("one URL is needed")
	switch {
	case flag.NArg() != 1:
	case *binary != "":
		err = drive(ctx, *binary, flag.Arg(0))
	default:
		err = converse(ctx, flag.Arg(0))
	}
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// converse connects to the server and calls its tools.
func converse(ctx context.Context, url string) error {
	cfg := upstream.Config{Type: upstream.HTTP, URL: url}
	session, err := login(url)
	if err != nil {
		return err
	}
	d := mcpclient.Dialer{RoundTripper: func(_ string, _ upstream.Config, base http.RoundTripper) http.RoundTripper {
		return session.Transport(base)
	}}
	c, err := d.Dial(ctx, "conformance", cfg, upstream.Events{
		Elicit: acceptDefaults,
		Log:    func(level slog.Level, text string) { fmt.Fprintln(os.Stderr, level, text) },
	})
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // the suite checks only earlier messages
	tools, err := c.ListTools(ctx)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(tools, func(t toolscript.Tool) bool { return t.Skill != nil }); i >= 0 {
		return load(ctx, c, tools[i])
	}
	calls, err := callsOf(tools)
	if err != nil {
		return err
	}
	for _, call := range calls {
		result, err := c.CallTool(ctx, call.Name, call.Arguments, nil)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", call.Name, result)
	}
	return nil
}

// loads begins the scenarios in which a client loads a skill.
const loads = "sep-2640-client-verify-"

// load reads all files of a skill, and stops at the first that is not what the server has listed.
func load(ctx context.Context, c *mcpclient.Conn, skill toolscript.Tool) error {
	if !strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), loads) {
		return nil
	}
	for _, f := range skill.Skill.Files {
		o := toolscript.FetchRequest{ID: toolscript.ReadResource, URI: f.URI}
		answer, err := c.Fetch(ctx, o, nil)
		if err != nil {
			return err
		}
		if _, err := upstream.VerifySkill(ctx, nil, skill, o, answer); err != nil {
			return err
		}
	}
	return nil
}

// call is one call of a tool.
type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// callsOf returns a call of each tool with the arguments that the scenario wants, or the calls that
// it names.
func callsOf(tools []toolscript.Tool) (calls []call, err error) {
	var given struct {
		ToolCalls []call `json:"toolCalls"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return nil, fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	if len(given.ToolCalls) > 0 {
		return given.ToolCalls, nil
	}
	for _, tool := range tools {
		args := json.RawMessage(`{}`)
		switch tool.Name {
		case "add_numbers":
			args = json.RawMessage(`{"a":5,"b":3}`)
		case "json_schema_echo": // wants the schema of the other tool, as it was received
			for _, other := range tools {
				if other.Name == "json_schema_2020_12_tool" {
					args, err = json.Marshal(map[string]json.RawMessage{"schema": other.InputSchema})
				}
			}
		}
		calls = append(calls, call{tool.Name, args})
	}
	return calls, err
}

// acceptDefaults answers an elicitation with the defaults of its schema.
func acceptDefaults(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
	var question struct {
		RequestedSchema struct {
			Properties map[string]struct {
				Default json.RawMessage `json:"default"`
			} `json:"properties"`
		} `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &question); err != nil {
		return nil, err
	}
	content := map[string]json.RawMessage{}
	for name, property := range question.RequestedSchema.Properties {
		if property.Default != nil {
			content[name] = property.Default
		}
	}
	return json.Marshal(map[string]any{"action": "accept", "content": content})
}

// script does the same as converse, with toolscript.
const script = `import { tools } from "toolscript";
const server: any = tools.conformance;
const args: any = { addNumbers: { a: 5, b: 3 }, validTool: { region: "here" } };
for (const name of Object.keys(server)) {
  console.log(name, await server[name](args[name] ?? {}));
}
`

// drive runs the script, or the commands for skills, with a toolscript that has its own home folder.
func drive(ctx context.Context, binary, url string) error {
	home, err := os.MkdirTemp("", "toolscript-conformance-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home) //nolint:errcheck // a temporary folder
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"conformance": map[string]any{"url": url}}})
	if err != nil {
		return err
	}
	file, program := filepath.Join(home, "config.json"), filepath.Join(home, "all.ts")
	if err := errors.Join(os.WriteFile(file, config, 0o600), os.WriteFile(program, []byte(script), 0o600)); err != nil {
		return err
	}
	steps := [][]string{{"exec", program}}
	switch scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO"); {
	case strings.HasPrefix(scenario, loads):
		steps = [][]string{{"skills", "get", "conformance", "pdf-processing"}, {"skills", "get", "conformance", "pdf-processing", "references/FORMS.md"}}
	case strings.HasPrefix(scenario, "sep-2640-"):
		steps = [][]string{{"skills"}, {"search", "documents"}}
	}
	for _, step := range steps {
		if err := toolscriptIn(ctx, home, binary, append(step, "--config", file)...); err != nil {
			return err
		}
	}
	return nil
}

// toolscriptIn runs a toolscript with the home folder home.
func toolscriptIn(ctx context.Context, home, binary string, args ...string) error {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = home, os.Stdout, os.Stderr
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "HOME=") && !strings.HasPrefix(entry, "TOOLSCRIPT_GATEWAY_URL=") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+home, "TOOLSCRIPT_RUNTIME_DIR="+filepath.Join(home, "run"))
	return cmd.Run()
}
