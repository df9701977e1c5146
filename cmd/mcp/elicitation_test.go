package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/mcp"
)

// asking is a gateway whose runs ask one question and return the answer.
type asking struct {
	mcp.Gateway
	answers chan toolscript.Answer
}

func (g asking) Exec(ctx context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`) // the client also validates it
	q := toolscript.Question{ID: "ask_1", Server: "demo", Message: "Who?", Schema: schema}
	if err := errors.Join(emit(toolscript.Event{Type: toolscript.EventStart, RunID: "run_1"}), emit(toolscript.Event{Type: toolscript.EventAsk, Ask: &q})); err != nil {
		return err
	}
	select {
	case answer := <-g.answers:
		value, err := json.Marshal(answer.Action + string(answer.Content))
		return errors.Join(err, emit(toolscript.EndEvent("run_1", toolscript.End{OK: true, Value: value})))
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g asking) ReplyRun(_ context.Context, _ string, a toolscript.Answer) error {
	if a.Action == toolscript.Accept && !strings.Contains(string(a.Content), "name") {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("the content does not fit the schema of the question: name is missing")}
	}
	g.answers <- a
	return nil
}

// plain returns the options of a server that does not shorten results.
func plain(g mcp.Gateway) mcp.Options {
	return mcp.Options{
		Gateway:    func(context.Context) (mcp.Gateway, func(), error) { return g, func() {}, nil },
		Shorten:    func(_ string, v json.RawMessage, _ int) (json.RawMessage, []string) { return v, nil },
		Media:      noMedia,
		KeepOutput: func(string, []byte) error { return nil },
		Error:      func(e *toolscript.RunError) string { return e.Message },
		Shown:      func(string, string, []byte) {},
	}
}

// sdkClient connects a client of the official SDK.
func sdkClient(t *testing.T, o mcp.Options, version string, answer func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error)) *sdk.ClientSession {
	t.Helper()
	return sdkClientOf(t, o, version, &sdk.ClientOptions{ElicitationHandler: answer})
}

func sdkClientOf(t *testing.T, o mcp.Options, version string, of *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcp.Serve(context.WithoutCancel(t.Context()), in, out, o) }()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, of).
		Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = toServer.Close() // a pipe in memory
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		_ = s.Close() // the server has ended
	})
	return s
}

// If an accepted answer does not fit the form, the question is asked once more. Then it is
// cancelled, and the result says why.
func TestAnswersThatDoNotFit(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for _, c := range []struct {
			name, want, notice string
			answers            []map[string]any
		}{
			{"always empty", "cancel", "the question of demo was cancelled, because the answers of the client were not accepted: ", []map[string]any{{}, {}}},
			{"empty once", `accept{"name":"Ann"}`, "", []map[string]any{{}, {"name": "Ann"}}},
		} {
			t.Run(version+" "+c.name, func(t *testing.T) {
				var forms []string
				s := sdkClient(t, plain(asking{answers: make(chan toolscript.Answer, 1)}), version, func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					forms = append(forms, r.Params.Message)
					return &sdk.ElicitResult{Action: "accept", Content: c.answers[min(len(forms), len(c.answers))-1]}, nil
				})
				result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_script", Arguments: map[string]any{"code": "x"}})
				if err != nil {
					t.Fatal(err)
				}
				text := []byte(result.Content[0].(*sdk.TextContent).Text)
				var run struct {
					Value   string
					Notices []string
				}
				if json.Unmarshal(text, &run) != nil || run.Value != c.want {
					t.Errorf("the result is %s", text)
				}
				if found := slices.ContainsFunc(run.Notices, func(n string) bool { return strings.HasPrefix(n, "the question") }); found != (c.notice != "") || !strings.Contains(string(text), c.notice) {
					t.Errorf("notices %q", run.Notices)
				}
				if len(forms) != 2 || !strings.HasPrefix(forms[1], "The last answer was not accepted: the content does not fit the schema of the question: name is missing\n") {
					t.Errorf("forms %q", forms)
				}
			})
		}
	}
}
