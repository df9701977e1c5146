package cli_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
)

// formHandler answers the forms of an MCP client.
type formHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)

// confirmsAtClient is askingConfig with "confirm": "client": an MCP client needs no code.
var confirmsAtClient = strings.Replace(askingConfig, `"timeout"`, `"confirm": "client", "timeout"`, 1)

// gatewayAtTerminal starts a gateway that shows its codes at a terminal.
func gatewayAtTerminal(t *testing.T, w *world, args ...string) (shown func() string) {
	t.Helper()
	terminal := kit.NewTerminal(t, 80)
	shown = terminal.Shown
	g := w.start(t, command{stdout: &kit.Buffer{}, terminal: terminal.Screen}, append([]string{"gateway", "start"}, args...)...)
	t.Cleanup(func() {
		g.signals <- os.Interrupt
		if code := <-g.code; code != 0 {
			t.Errorf("the gateway ended with %d; its terminal:\n%s", code, shown())
		}
	})
	kit.Eventually(t, "the gateway is found", func() bool { return w.run(t, "status").code == 0 })
	return shown
}

// eachClient runs a test over stdio and over HTTP, with both ways in which MCP asks the user.
func eachClient(t *testing.T, test func(t *testing.T, connect func(*testing.T, *world, formHandler) *mcp.ClientSession)) {
	t.Helper()
	for _, entrance := range []string{"stdio", "http"} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(entrance+" "+version, func(t *testing.T) {
				test(t, func(t *testing.T, w *world, answer formHandler) *mcp.ClientSession {
					t.Helper()
					if entrance == "stdio" {
						return connectTo(t, stdio(t, w), answer, version)
					}
					return connectTo(t, overHTTP(t, w), answer, version)
				})
			})
		}
	}
}

// overHTTP returns the transport to the MCP server of the running gateway.
func overHTTP(t *testing.T, w *world) mcp.Transport {
	t.Helper()
	var address struct{ URL string }
	if r := w.run(t, "mcp", "--http", "--json"); json.Unmarshal([]byte(r.stdout), &address) != nil {
		t.Fatalf("mcp --http: %+v", r)
	}
	return &mcp.StreamableClientTransport{Endpoint: address.URL}
}

// stdio starts `toolscript mcp`, which ends with the client, and returns the transport to it.
func stdio(t *testing.T, w *world) mcp.Transport {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := w.start(t, command{stdin: in, stdout: out}, "mcp")
	t.Cleanup(func() {
		_ = toServer.Close() // a pipe in memory
		if code := <-c.code; code != 0 {
			t.Errorf("mcp ended with %d: %s", code, c.stderr)
		}
	})
	return &mcp.IOTransport{Reader: fromServer, Writer: toServer}
}

func connectTo(t *testing.T, transport mcp.Transport, answer formHandler, version string) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{ElicitationHandler: answer}).
		Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the server reports its end
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("protocol %s, want %s", got, version)
	}
	return session
}

// readTwice is a script that makes two calls, and returns their results or errors.
const readTwice = `const seen = [];
for (let i = 0; i < 2; i++) try { seen.push((await tools.demo.readFile({ path: "a.txt" })).lines) } catch (e) { seen.push(e.message) }
return seen`

// readOnce is a script that makes one call.
const readOnce = `try { return (await tools.demo.readFile({ path: "a.txt" })).lines } catch (e) { return e.message }`

// textOf returns the text of the first content block of a result.
func textOf(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	text, is := result.Content[0].(*mcp.TextContent)
	if !is {
		t.Fatalf("the first block is %T", result.Content[0])
	}
	return text.Text
}

// runScript runs a script and returns its value as JSON.
func runScript(t *testing.T, s *mcp.ClientSession, code string) string {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: map[string]any{"code": code, "timeout": 600}})
	if err != nil {
		t.Fatal(err)
	}
	var run struct{ Value json.RawMessage }
	if text := textOf(t, result); json.Unmarshal([]byte(text), &run) != nil || result.IsError {
		t.Fatal(text)
	}
	return string(run.Value)
}

var requestShown = regexp.MustCompile(`request: (apr_\w+), until`)

// codeOf waits until the terminal of the gateway shows the code of the request in a form.
func codeOf(t *testing.T, shown func() string, message string) (found string) {
	t.Helper()
	id := requestShown.FindStringSubmatch(message)
	if id == nil {
		t.Errorf("the form names no request:\n%s", message)
		return ""
	}
	kit.Eventually(t, "the gateway shows the code", func() bool {
		for _, code := range codeShown.FindAllStringSubmatch(shown(), -1) {
			if code[2] == id[1] {
				found = code[1]
			}
		}
		return found != ""
	})
	return found
}

func accept(answer, code, reason string) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer, "code": code, "reason": reason}}, nil
}

// pending returns the requests that wait for an answer.
func pending(t *testing.T, w *world) (all []toolscript.Approval) {
	t.Helper()
	if r := w.run(t, "approvals", "--json"); json.Unmarshal([]byte(r.stdout), &all) != nil {
		t.Errorf("approvals: %+v", r)
	}
	return all
}

// onePending waits until one request waits for an answer, and returns it.
func onePending(t *testing.T, w *world) (one toolscript.Approval) {
	t.Helper()
	kit.Eventually(t, "a request waits", func() bool {
		all := pending(t, w)
		if len(all) == 1 {
			one = all[0]
		}
		return len(all) == 1
	})
	return one
}

// TestApprovalsAtAnMCPClient: a wrong, missing or replayed code leaves the request open, the
// right code allows it, and a denial has a reason. The form does not contain the code.
func TestApprovalsAtAnMCPClient(t *testing.T) {
	eachClient(t, func(t *testing.T, connect func(*testing.T, *world, formHandler) *mcp.ClientSession) {
		t.Helper()
		w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig, "work/a.txt": "one\ntwo\n"})
		shown := gatewayAtTerminal(t, w) // a gateway for this test alone, because it counts wrong codes over all requests
		forms, used := 0, ""
		s := connect(t, w, func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			forms++
			message := r.Params.Message
			code := codeOf(t, shown, message)
			if strings.Contains(message, code) || !strings.Contains(message, "demo__read_file") || !strings.Contains(message, `{"path":"a.txt"}`) {
				t.Errorf("form %d with code %s:\n%s", forms, code, message)
			}
			if again := forms == 2 || forms > 3; again != strings.Contains(message, "not accepted: the code is wrong") {
				t.Errorf("form %d:\n%s", forms, message)
			}
			if waiting := pending(t, w); len(waiting) != 1 {
				t.Errorf("at form %d these wait: %+v", forms, waiting)
			}
			switch forms {
			case 1:
				return accept("allow once", "AAAAAA", "")
			case 2:
				used = code
				return accept("allow once", code, "")
			case 3:
				return accept("allow in this run", used, "")
			case 4:
				return accept("allow once", "", "")
			}
			return accept("deny", "", "not on Fridays")
		})
		if got := runScript(t, s, readTwice); got != `[2,"demo__read_file was denied: not on Fridays"]` || forms != 5 {
			t.Errorf("%d forms, value %s", forms, got)
		}
	})
}

// TestPagesAtAnMCPClient: the form leaves out the middle of long arguments, and can show all of
// them in pages.
func TestPagesAtAnMCPClient(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig})
	gatewayAtTerminal(t, w)
	eachClient(t, func(t *testing.T, connect func(*testing.T, *world, formHandler) *mcp.ClientSession) {
		t.Helper()
		var forms []string
		s := connect(t, w, func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if forms = append(forms, r.Params.Message); len(forms) < 9 {
				return accept("show the arguments in full, or their next page", "", "")
			}
			return accept("deny", "", "seen")
		})
		got := runScript(t, s, `try { await tools.demo.readFile({ path: "first" + "x".repeat(6000) + "middle" + "日".repeat(3000) + "last" }) } catch (e) { return e.message }`)
		if got != `"demo__read_file was denied: seen"` || len(forms) != 9 {
			t.Fatalf("%d forms, value %s", len(forms), got)
		}
		if f := forms[0]; !strings.Contains(f, "first") || !strings.Contains(f, "last") || strings.Contains(f, "middle") || !strings.Contains(f, "bytes of the arguments are not shown") {
			t.Errorf("the first form: %s", f)
		}
		for i, want := range []string{"(page 1 of 4) {\"path\":\"first", "(page 2 of 4) x", "(page 3 of 4) 日", "last", "(page 1 of 4)"} {
			if f := forms[i+1]; !strings.Contains(f, want) || !utf8.ValidString(f) {
				t.Errorf("form %d has no %q: %s", i+1, want, f)
			}
		}
		if !strings.Contains(forms[2], "middle") {
			t.Errorf("page 2: %s", forms[2])
		}
	})
}

// TestClientCancelsTheForm: a request whose form was cancelled still waits for an answer elsewhere.
func TestClientCancelsTheForm(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig, "work/a.txt": "one\ntwo\n"})
	shown := gatewayAtTerminal(t, w)
	eachClient(t, func(t *testing.T, connect func(*testing.T, *world, formHandler) *mcp.ClientSession) {
		t.Helper()
		form := make(chan string, 1)
		s := connect(t, w, func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			form <- r.Params.Message
			return &mcp.ElicitResult{Action: "cancel"}, nil
		})
		answered := make(chan result, 1)
		go func() { answered <- w.answering(t, codeOf(t, shown, <-form)+"\n", "allow") }()
		if got := runScript(t, s, readOnce); got != "2" {
			t.Errorf("value %s", got)
		}
		if r := <-answered; r.code != 0 {
			t.Errorf("approvals allow: %+v", r)
		}
	})
}

// TestLateCode: a code is refused after its request has expired.
func TestLateCode(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": strings.Replace(askingConfig, `"1h"`, `"2s"`, 1), "work/a.txt": "one\ntwo\n"})
	shown := gatewayAtTerminal(t, w)
	eachClient(t, func(t *testing.T, connect func(*testing.T, *world, formHandler) *mcp.ClientSession) {
		t.Helper()
		s := connect(t, w, func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			code := codeOf(t, shown, r.Params.Message)
			kit.Eventually(t, "the request has expired", func() bool { return len(pending(t, w)) == 0 })
			return accept("allow once", code, "")
		})
		if got := runScript(t, s, readOnce); !strings.Contains(got, "demo__read_file was not approved within 2s") {
			t.Errorf("value %s", got)
		}
	})
}

// TestConfirmAtTheClient: if the user's file has "confirm": "client", the form needs no code, but
// a wrong code is refused. A client without forms cannot allow a call.
func TestConfirmAtTheClient(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": confirmsAtClient, "work/a.txt": "one\ntwo\n"})
	gatewayAtTerminal(t, w)
	eachClient(t, func(t *testing.T, connect func(*testing.T, *world, formHandler) *mcp.ClientSession) {
		t.Helper()
		forms := 0
		s := connect(t, w, func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if schema, err := json.Marshal(r.Params.RequestedSchema); err != nil || strings.Contains(string(schema), "code") {
				t.Errorf("the form is %s, %v", schema, err)
			}
			if forms++; forms == 1 {
				return accept("allow in this run", "AAAAAA", "")
			}
			return accept("allow in this run", "", "")
		})
		if got := runScript(t, s, readTwice); got != "[2,2]" || forms != 2 {
			t.Errorf("%d forms, value %s", forms, got)
		}
		deaf := connect(t, w, nil)
		go func() {
			onePending(t, w)
			if r := w.answering(t, "", "deny", "--reason", "elsewhere"); r.code != 0 {
				t.Errorf("approvals deny: %+v", r)
			}
		}()
		if got := runScript(t, deaf, readOnce); got != `"demo__read_file was denied: elsewhere"` {
			t.Errorf("without elicitation: %s", got)
		}
	})
}

// TestFormAcceptedWithoutAnAnswer: some clients without forms accept each form without an answer.
// Such a form is shown once more; then the call is denied.
func TestFormAcceptedWithoutAnAnswer(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": confirmsAtClient, "work/a.txt": "one\ntwo\n"})
	forms := 0
	s := connectTo(t, stdio(t, w), func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		forms++
		return &mcp.ElicitResult{Action: "accept"}, nil
	}, "2025-11-25")
	got := runScript(t, s, readOnce)
	if got != `"demo__read_file was denied: the MCP client has accepted the form without an answer"` || forms != 2 {
		t.Errorf("%d forms, value %s", forms, got)
	}
}

// TestMCPWithoutAGateway: `toolscript mcp` shows no codes, so it asks only if the user's file lets
// the client answer and the client has forms.
func TestMCPWithoutAGateway(t *testing.T) {
	always := func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return accept("allow once", "", "")
	}
	for _, test := range []struct {
		name, config string
		answer       formHandler
		want         string
	}{
		{"confirm client", confirmsAtClient, always, "2"},
		{"confirm client without elicitation", confirmsAtClient, nil, "there is no terminal to ask a person"},
		{"elicitation alone", askingConfig, always, "there is no terminal to ask a person"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": test.config, "work/a.txt": "one\ntwo\n"})
			if got := runScript(t, connectTo(t, stdio(t, w), test.answer, "2025-11-25"), readOnce); !strings.Contains(got, test.want) {
				t.Errorf("value %s, want %s", got, test.want)
			}
		})
	}
}

// TestConfirmClientOfAProject: "confirm": "client" in a project's file has no effect.
func TestConfirmClientOfAProject(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig, "work/.toolscript.json": confirmsAtClient, "work/a.txt": "one\ntwo\n"})
	if r := w.run(t, "trust", "--yes"); r.code != 0 {
		t.Fatalf("trust: %+v", r)
	}
	gatewayAtTerminal(t, w)
	eachClient(t, func(t *testing.T, connect func(*testing.T, *world, formHandler) *mcp.ClientSession) {
		t.Helper()
		forms := 0
		s := connect(t, w, func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if schema, err := json.Marshal(r.Params.RequestedSchema); err != nil || !strings.Contains(string(schema), "code") {
				t.Errorf("the form is %s, %v", schema, err)
			}
			if forms++; forms == 1 {
				return accept("allow once", "", "")
			}
			return &mcp.ElicitResult{Action: "decline"}, nil
		})
		if got := runScript(t, s, readOnce); got != `"demo__read_file was denied: declined at the MCP client"` || forms != 2 {
			t.Errorf("%d forms, value %s", forms, got)
		}
	})
}
