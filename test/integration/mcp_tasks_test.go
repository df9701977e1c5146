//go:build integration && linux

package integration

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/kit"
)

// taskClient is a client of MCP 2026-07-28 that declares the extension for tasks, and writes its own
// messages: the Go SDK does not know the extension.
type taskClient struct {
	*testing.T
	send func(method, name string, message []byte) []byte
	open func(message []byte) (next func() []byte) // sends subscriptions/listen; next returns what follows
	id   int
}

// taskAnswer is a response to a request about a task.
type taskAnswer struct {
	Result struct {
		ResultType, TaskID, Status, StatusMessage string
		CreatedAt, LastUpdatedAt                  time.Time
		TTLMs, PollIntervalMs                     int64
		InputRequests                             map[string]struct {
			Method string
			Params struct{ Message string }
		}
		Result  *taskContent
		Content []struct{ Text string }
	}
	Error *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

type taskContent struct{ Content []struct{ Text string } }

const declared = `"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}`

func (c *taskClient) ask(method, capabilities, params string) (a taskAnswer) {
	c.Helper()
	c.id++
	var named struct{ Name, TaskID string }
	if err := json.Unmarshal([]byte("{"+params+"}"), &named); err != nil {
		c.Fatal(err)
	}
	text := c.send(method, named.Name+named.TaskID, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s,"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},`+
		`"io.modelcontextprotocol/clientCapabilities":{%s}}}}`, c.id, method, params, capabilities))
	if err := json.Unmarshal(text, &a); err != nil {
		c.Fatalf("%s: %v in %s", method, err, text)
	}
	return a
}

func (c *taskClient) run(capabilities, code string) taskAnswer {
	c.Helper()
	text, err := json.Marshal(code)
	if err != nil {
		c.Fatal(err)
	}
	return c.ask("tools/call", capabilities, `"name":"run_script","arguments":{"code":`+string(text)+`}`)
}

// get asks for the state of a task until it is one of states.
func (c *taskClient) get(id string, states ...string) (a taskAnswer) {
	c.Helper()
	kit.Eventually(c, strings.Join(states, " or "), func() bool {
		a = c.ask("tasks/get", declared, fmt.Sprintf(`"taskId":%q`, id))
		if a.Error != nil || a.Result.ResultType != "complete" || a.Result.TaskID != id {
			c.Fatalf("tasks/get: %+v", a)
		}
		return strings.Contains(strings.Join(states, " "), a.Result.Status)
	})
	return a
}

func newTaskClient(t *testing.T, entrance string) *taskClient {
	t.Helper()
	return taskClientOf(t, entrance, program(t))
}

func taskClientOf(t *testing.T, entrance string, p harness.Program) *taskClient {
	t.Helper()
	config := strings.Replace(servers(t), `{`, `{"output": {"taskAfter": "50ms"}, `, 1)
	path := p.Configured(t, config)
	if entrance == "stdio" {
		return taskClientOnStdio(t, p, path)
	}
	p.Serve(t, "--config", path)
	return taskClientOverHTTP(t, mcpAddressOf(t, p, path))
}

func taskClientOnStdio(t *testing.T, p harness.Program, config string) *taskClient {
	t.Helper()
	cmd := p.Command(context.WithoutCancel(t.Context()), "mcp", "--config", config)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it ends the program
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(out)
	next := func() []byte {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	write := func(message []byte) {
		if _, err := in.Write(append(message, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	return &taskClient{T: t, send: func(_, _ string, message []byte) []byte {
		write(message)
		return next()
	}, open: func(message []byte) func() []byte {
		write(message)
		return next
	}}
}

func taskClientOverHTTP(t *testing.T, a mcpAddress) *taskClient {
	t.Helper()
	post := func(method, name string, message []byte) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.Endpoint, bytes.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		for header, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
		} {
			r.Header.Set(header, value)
		}
		answer, err := a.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	return &taskClient{T: t, send: func(method, name string, message []byte) []byte {
		answer := post(method, name, message)
		defer func() { _ = answer.Body.Close() }() // it was read
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if _, data, is := bytes.Cut(text, []byte("data: ")); is {
			text = data
		}
		return text
	}, open: func(message []byte) func() []byte {
		answer := post("subscriptions/listen", "", message)
		t.Cleanup(func() { _ = answer.Body.Close() }) // it ends the subscription
		lines := bufio.NewReader(answer.Body)
		return func() []byte {
			for {
				line, err := lines.ReadBytes('\n')
				if err != nil {
					t.Fatal(err)
				}
				if data, is := bytes.CutPrefix(line, []byte("data: ")); is {
					return data
				}
			}
		}
	}}
}

const untilGo = `import { store } from "toolscript"; while ((await store.get("go")) !== 1) await new Promise((done) => setTimeout(done, 20)); return "done"`

// TestServedTasks: a script that lasts becomes a task, whose state, questions and result the client asks for.
func TestServedTasks(t *testing.T) {
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) {
			c := newTaskClient(t, entrance)
			if a := c.run("", `return 1`); a.Result.ResultType != "complete" || len(a.Result.Content) == 0 {
				t.Fatalf("without the extension: %+v", a)
			}

			begun := c.run(declared, untilGo)
			id := begun.Result.TaskID
			if begun.Result.ResultType != "task" || id == "" || begun.Result.Status != "working" || begun.Result.TTLMs <= 0 || begun.Result.PollIntervalMs <= 0 {
				t.Fatalf("begun: %+v", begun)
			}
			if a := c.get(id, "working"); a.Result.CreatedAt.IsZero() || a.Result.LastUpdatedAt.Before(a.Result.CreatedAt) {
				t.Errorf("working: %+v", a)
			}
			c.run("", `import { store } from "toolscript"; await store.set("go", 1)`)
			for range 2 { // the result can be read again
				if a := c.get(id, "completed"); a.Result.Result == nil || !strings.Contains(a.Result.Result.Content[0].Text, `"value":"done"`) {
					t.Errorf("completed: %+v", a)
				}
			}
		})
	}
}

// TestServedTaskAsks: questions of servers are input requests of the task, and their answers reach the server.
func TestServedTaskAsks(t *testing.T) {
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) {
			c := newTaskClient(t, entrance)
			begun := c.run(declared, `const ask = () => tools.everything.triggerElicitationRequest({}); return [await ask(), await ask()]`)
			id, answered := begun.Result.TaskID, map[string]bool{}
			for range 2 {
				a := c.get(id, "input_required")
				for key, asked := range a.Result.InputRequests {
					if asked.Method != "elicitation/create" || asked.Params.Message == "" || answered[key] {
						t.Errorf("%s: %+v", key, asked)
					}
					answered[key] = true
					update := c.ask("tasks/update", declared, fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:{"action":"decline"},"other":{"action":"accept"}}`, id, key))
					if update.Error != nil || update.Result.ResultType != "complete" {
						t.Fatalf("update: %+v", update)
					}
				}
			}
			if a := c.get(id, "completed"); a.Result.Result == nil || strings.Count(a.Result.Result.Content[0].Text, "declined") != 2 {
				t.Errorf("completed: %+v", a)
			}
		})
	}
}

// TestServedTaskIsCancelled: tasks/cancel ends the run, and wrong requests about tasks are refused.
func TestServedTaskIsCancelled(t *testing.T) {
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) {
			c := newTaskClient(t, entrance)
			id := c.run(declared, untilGo).Result.TaskID
			for range 2 { // the second time, the task has ended
				if a := c.ask("tasks/cancel", declared, fmt.Sprintf(`"taskId":%q`, id)); a.Error != nil {
					t.Fatalf("cancel: %+v", a.Error)
				}
				c.get(id, "cancelled")
			}
			for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
				if a := c.ask(method, declared, `"taskId":"run_0000000000000000"`); a.Error == nil || a.Error.Code != -32602 {
					t.Errorf("%s of an unknown task: %+v", method, a)
				}
				if a := c.ask(method, "", fmt.Sprintf(`"taskId":%q`, id)); a.Error == nil || a.Error.Code != -32021 || !strings.Contains(string(a.Error.Data), "io.modelcontextprotocol/tasks") {
					t.Errorf("%s without the extension: %+v", method, a)
				}
			}
		})
	}
}

// TestServedTaskOfAnotherProcess: the gateway keeps the task, so a client of another process can ask for it.
func TestServedTaskOfAnotherProcess(t *testing.T) {
	p := program(t)
	began := taskClientOf(t, "http", p)
	id := began.run(declared, untilGo).Result.TaskID
	c := taskClientOf(t, "stdio", p)
	c.get(id, "working")
	began.run("", `import { store } from "toolscript"; await store.set("go", 1)`)
	if a := c.get(id, "completed"); a.Result.Result == nil || !strings.Contains(a.Result.Result.Content[0].Text, `"value":"done"`) {
		t.Errorf("completed: %+v", a)
	}
}

// listen subscribes to tasks.
func (c *taskClient) listen(capabilities string, ids ...string) (next func() []byte) {
	c.Helper()
	text, err := json.Marshal(ids)
	if err != nil {
		c.Fatal(err)
	}
	return c.open(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":99,"method":"subscriptions/listen","params":{"notifications":{"taskIds":%s},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{%s}}}}`, text, capabilities))
}

// TestServedTaskPushes: a client that subscribes to a task is told its states as tasks/get returns them,
// also if another client has begun it.
func TestServedTaskPushes(t *testing.T) {
	p := program(t)
	began := taskClientOf(t, "http", p)
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) {
			c := began
			if entrance == "stdio" {
				c = taskClientOf(t, "stdio", p)
			}
			id := began.run(declared, `import { store } from "toolscript"; await store.delete("go"); `+strings.TrimPrefix(untilGo, `import { store } from "toolscript"; `)).Result.TaskID
			next := c.listen(declared, id, "run_0000000000000000")
			if text := string(next()); !strings.Contains(text, `"notifications/subscriptions/acknowledged"`) || !strings.Contains(text, `"notifications":{"taskIds":["`+id+`"]}`) {
				t.Fatalf("agreed: %s", text)
			}
			states := []string{}
			for len(states) == 0 || states[len(states)-1] != "completed" {
				var told struct {
					Method string
					Params struct {
						Meta                       map[string]any `json:"_meta"`
						TaskID, Status, ResultType string
						TTLMs                      int64
						Result                     *taskContent
					}
				}
				text := next()
				if err := json.Unmarshal(text, &told); err != nil || told.Method != "notifications/tasks" || told.Params.TaskID != id ||
					told.Params.TTLMs <= 0 || told.Params.ResultType != "" || told.Params.Meta["io.modelcontextprotocol/subscriptionId"] != 99.0 {
					t.Fatalf("told %s, %v", text, err)
				}
				if states = append(states, told.Params.Status); len(states) == 1 {
					began.run("", `import { store } from "toolscript"; await store.set("go", 1)`)
				}
				if told.Params.Status == "completed" && (told.Params.Result == nil || !strings.Contains(told.Params.Result.Content[0].Text, `"value":"done"`)) {
					t.Errorf("completed: %s", text)
				}
			}
			if states[0] != "working" {
				t.Errorf("states %q", states)
			}
		})
	}
	if a := began.ask("subscriptions/listen", "", `"notifications":{"taskIds":["run_1"]}`); a.Error == nil || a.Error.Code != -32021 {
		t.Errorf("without the extension: %+v", a)
	}
}

// TestServedTaskIsNamed: the header Mcp-Name of a request about a task must be the id of the task.
func TestServedTaskIsNamed(t *testing.T) {
	c := newTaskClient(t, "http")
	id := c.run(declared, untilGo).Result.TaskID
	send := c.send
	for _, named := range []string{"", "run_0000000000000000"} {
		c.send = func(method, _ string, message []byte) []byte { return send(method, named, message) }
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			if a := c.ask(method, declared, fmt.Sprintf(`"taskId":%q`, id)); a.Error == nil || a.Error.Code != -32020 {
				t.Errorf("%s with the name %q: %+v", method, named, a)
			}
		}
	}
	c.send = send
	c.get(id, "working")
	c.ask("tasks/cancel", declared, fmt.Sprintf(`"taskId":%q`, id))
}
