package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const modelKey = "k-secret-123"

// agentWorld has a built-in server with all tools, the demo server, and a model: a Chat Completions
// endpoint on loopback that answers with the messages that say returns.
func agentWorld(t *testing.T, agents, approvals string, say func(body string, r *http.Request) string) *world {
	t.Helper()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+modelKey {
			t.Errorf("Authorization: %q", got)
		}
		message := say(string(body), r)
		if message == "" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"wrong key `+modelKey+`"}}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"choices":[{"message":%s}],"usage":{"prompt_tokens":10,"completion_tokens":1}}`, message)
	}))
	t.Cleanup(model.Close)
	w := newWorld(t, map[string]string{"work/one.txt": "1", "home/.toolscript.json": fmt.Sprintf(`{
		"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]},
			"workspace": {"type": "builtin", "root": "../work", "tools": "all", "timeout": "5m", "agents": %s}},
		"providers": {"local": {"api": "chat", "url": %q, "model": "m", "key": "${KEY}", "maxTokens": 500}},
		"approvals": %s}`, agents, model.URL+"/v1", approvals)})
	w.env = append(w.env, "KEY="+modelKey)
	return w
}

// text returns a message of the model with this text.
func text(s string) string {
	quoted, _ := json.Marshal(s)
	return `{"role":"assistant","content":` + string(quoted) + `}`
}

// launching returns a message that launches an agent, by a script or by a structured call.
func launching(structured bool) string {
	if structured {
		return `{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"agents.launch.sync","arguments":"{\"task\":\"deeper\"}"}}]}`
	}
	return text("<tool-calls>\nreturn await tools.agents.launch.sync({ task: \"deeper\" });\n</tool-calls>")
}

const allowed = `{"default": "allow"}`

func TestChatTool(t *testing.T) {
	w := agentWorld(t, `{"models": ["m-2"], "maxTokens": 100}`, allowed, func(body string, _ *http.Request) string {
		if strings.Contains(body, "be refused") {
			return ""
		}
		return text("key " + modelKey + " of " + body)
	})
	r := w.run(t, "exec", `import { tools } from "toolscript";
		await tools.workspace.promptsSave({ promptKey: "brief", content: "Be brief." });
		return await tools.workspace.agentsLlmChat({ prompt: "hi", promptKey: "brief", system: "In English.", model: "m-2", maxTokens: 9000 });`)
	for _, part := range []string{`Be brief.`, `In English.`, `hi`, `"model":"m-2"`, `\"max_tokens\":100`, "key [hidden] of", `"provider":"local"`, `"inputTokens":10`} {
		if r.code != 0 || !strings.Contains(r.stdout, part) {
			t.Errorf("exit code %d, without %s:\n%s%s", r.code, part, r.stdout, r.stderr)
		}
	}
	for args, want := range map[string]string{
		`{ prompt: "be refused" }`:              "401",
		`{ prompt: "x", model: "other" }`:       "does not allow the model",
		`{ prompt: "x", provider: "nobody" }`:   `provider "nobody" has no model`,
		`{ prompt: "x", promptKey: "missing" }`: "missing",
	} {
		failed := w.run(t, "exec", `import { tools } from "toolscript"; return await tools.workspace.agentsLlmChat(`+args+`)`)
		if failed.code == 0 || !strings.Contains(failed.stderr, want) {
			t.Errorf("%s: exit code %d, want %q:\n%s%s", args, failed.code, want, failed.stdout, failed.stderr)
		}
		r.stderr += failed.stdout + failed.stderr
	}
	if strings.Contains(r.stdout+r.stderr, modelKey) {
		t.Errorf("the key is shown:\n%s%s", r.stdout, r.stderr)
	}
}

// TestLaunchTool: agents launch agents until a launch is refused.
func TestLaunchTool(t *testing.T) {
	for _, tt := range []struct {
		name, agents string
		structured   bool
		want         string
	}{
		{"script", `{}`, false, `{"content":"The agent below was refused.","turns":4,"calls":2}`},
		{"structured calls", `{}`, true, `{"content":"The agent below was refused.","turns":4,"calls":2}`},
		{"depth of one", `{"depth": 1}`, false, `{"content":"I was refused.","turns":2,"calls":1}`},
		{"turns", `{"turns": 3}`, false, "have taken their 3 answers"},
		{"turns of structured calls", `{"turns": 3}`, true, "have taken their 3 answers"},
		{"calls", `{"calls": 1}`, false, `{"content":"The agent below has no calls.","turns":4,"calls":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := agentWorld(t, tt.agents, allowed, func(body string, _ *http.Request) string {
				switch {
				case strings.Contains(body, "deep, and this agent"):
					return text("I was refused.")
				case strings.Contains(body, "tool calls, or reserved"):
					return text("I have no calls.")
				case strings.Contains(body, "I was refused."):
					return text("The agent below was refused.")
				case strings.Contains(body, "I have no calls."):
					return text("The agent below has no calls.")
				default:
					return launching(tt.structured)
				}
			})
			r := w.run(t, "exec", "--json", `import { tools } from "toolscript";
				try {
					const { content, turns, calls } = await tools.workspace.agentsLaunchSync({ task: "deep" });
					return JSON.stringify({ content, turns, calls });
				} catch (e) { return (e as Error).message; }`)
			var got struct{ Value string }
			if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || !strings.Contains(got.Value, tt.want) {
				t.Errorf("%q, %v; want %q\n%s%s", got.Value, err, tt.want, r.stdout, r.stderr)
			}
		})
	}
}

// TestLaunchedAgentsKeepToTheRun: an agent can use only the servers and tools of its run, and its
// calls need the same approvals.
func TestLaunchedAgentsKeepToTheRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	for _, tt := range []struct {
		name, approvals string
		args            []string
		want            string
	}{
		{"all", allowed, nil, "It counted 1."},
		{"allow", allowed, []string{"--allow", "workspace"}, "It failed."},
		{"denied", `{"default": "allow", "rules": [{"match": ["demo"], "action": "deny"}]}`, nil, "It was denied."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := agentWorld(t, `{}`, tt.approvals, func(body string, _ *http.Request) string {
				switch {
				case !strings.Contains(body, "ScriptToolCallOutput"):
					return text("<tool-calls>\nconst { files } = await tools.demo.listFiles({});\nreturn { counted: files.length };\n</tool-calls>")
				case strings.Contains(body, `counted\":1`):
					return text("It counted 1.")
				case strings.Contains(body, "ApprovalDenied"):
					return text("It was denied.")
				default:
					return text("It failed.")
				}
			})
			r := w.run(t, append(append([]string{"exec"}, tt.args...), `import { tools } from "toolscript";
				const { id } = await tools.workspace.agentsLaunchAsync({ task: "count" });
				let r = await tools.workspace.agentsLaunchResult({ id });
				while (r.state === "running") r = await tools.workspace.agentsLaunchResult({ id, waitMs: 1000 });
				return r.state + ": " + r.content;`)...)
			if r.code != 0 || r.stdout != "\"done: "+tt.want+"\"\n" {
				t.Errorf("exit code %d, %q, want %q\n%s", r.code, r.stdout, tt.want, r.stderr)
			}
		})
	}
}

// TestLaunchNeedsApproval: unless an approval allows it, launching an agent needs a person, who is
// absent in this test; asking a model does not.
func TestLaunchNeedsApproval(t *testing.T) {
	w := agentWorld(t, `{}`, `{}`, func(string, *http.Request) string { return text("answer") })
	r := w.run(t, "exec", `import { tools } from "toolscript";
		const failed: string[] = [(await tools.workspace.agentsLlmChat({ prompt: "x" })).content];
		for (const launch of [tools.workspace.agentsLaunchSync, tools.workspace.agentsLaunchAsync]) {
			try { await launch({ task: "x" }); failed.push("launched"); } catch (e) { failed.push((e as Error).name); }
		}
		return failed.join(" ");`)
	if r.code != 0 || r.stdout != "\"answer ApprovalDeniedError ApprovalDeniedError\"\n" {
		t.Errorf("exit code %d, %q\n%s", r.code, r.stdout, r.stderr)
	}
}

// TestAgentsEndWithTheGateway: the request to the model ends when the program that launched the agent ends.
func TestAgentsEndWithTheGateway(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	asked, ended := make(chan struct{}), make(chan struct{})
	w := agentWorld(t, `{}`, allowed, func(body string, r *http.Request) string {
		if strings.Contains(body, "are you asked") {
			<-asked
			return text("yes")
		}
		close(asked)
		<-r.Context().Done()
		close(ended)
		return text("too late")
	})
	r := w.run(t, "exec", `import { tools } from "toolscript";
		const { id } = await tools.workspace.agentsLaunchAsync({ task: "wait" });
		await tools.workspace.agentsLlmChat({ prompt: "are you asked" });
		return (await tools.workspace.agentsLaunchResult({ id })).state;`)
	if r.code != 0 || r.stdout != "\"running\"\n" {
		t.Errorf("exit code %d, %q\n%s", r.code, r.stdout, r.stderr)
	}
	<-ended
	if r := w.run(t, "exec", `import { tools } from "toolscript"; return await tools.workspace.agentsLaunchResult({ id: "agent_x" })`); r.code == 0 || !strings.Contains(r.stderr, "there is no agent") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// TestAgentsPayForSavedScripts: the calls of a saved script count as calls of the agent that
// called it, in a script or as a structured call.
func TestAgentsPayForSavedScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	const script = `export default async function many(): Promise<number> {
		for (let i = 0; i < 5; i++) await tools.demo.listFiles({});
		return 5;
	}`
	inScript := text("<tool-calls>\nreturn { made: await tools.$scripts.many({}) };\n</tool-calls>")
	structured := `{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"$scripts.many","arguments":"{}"}}]}`
	for _, tt := range []struct {
		name, agents, first, want string
	}{
		{"script", `{}`, inScript, `{"content":"It was run.","calls":6}`},
		{"structured call", `{}`, structured, `{"content":"It was run.","calls":6}`},
		{"calls of a script", `{"calls": 3}`, inScript, `{"content":"It has reached the limit.","calls":3}`},
		{"calls of a structured call", `{"calls": 3}`, structured, `{"content":"It has reached the limit.","calls":3}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var last string
			w := agentWorld(t, tt.agents, allowed, func(body string, _ *http.Request) string {
				last = body
				switch {
				case strings.Contains(body, "tool calls; "):
					return text("It has reached the limit.")
				case strings.Contains(body, `"role":"tool"`) || strings.Contains(body, "ScriptToolCallOutput"):
					return text("It was run.")
				default:
					return tt.first
				}
			})
			file := filepath.Join(w.dir, "..", "home", ".toolscript", "scripts", "many.ts")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			r := w.run(t, "exec", "--json", `import { tools } from "toolscript";
				const { content, calls } = await tools.workspace.agentsLaunchSync({ task: "many" });
				return JSON.stringify({ content, calls });`)
			var got struct{ Value string }
			if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || got.Value != tt.want {
				t.Errorf("%q, %v; want %q\n%s%s\n%s", got.Value, err, tt.want, r.stdout, r.stderr, last)
			}
		})
	}
}
