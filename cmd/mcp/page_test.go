package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/mcp"
	"github.com/toolscript/toolscript/test/kit"
)

// paying is a gateway whose runs ask for a page, if the request allows that, and then for a form with a nested
// object. The page is finished when its answer has arrived.
type paying struct {
	mcp.Gateway
	requests chan toolscript.ExecRequest
	answers  chan toolscript.Answer
}

func (g paying) Exec(_ context.Context, request toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	g.requests <- request
	page := toolscript.Question{ID: "ask_1", Server: "shop", Message: "Pay", URL: "https://example.com/pay"}
	form := toolscript.Question{ID: "ask_2", Server: "shop", Message: "Where?", Schema: json.RawMessage(
		`{"type":"object","required":["to"],"properties":{"to":{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}}}`)}
	err := emit(toolscript.Event{Type: toolscript.EventStart, RunID: "run_1"})
	var first toolscript.Answer
	if request.AskPages {
		err = errors.Join(err, emit(toolscript.Event{Type: toolscript.EventAsk, Ask: &page}))
		first = <-g.answers
		err = errors.Join(err, emit(toolscript.Event{Type: toolscript.EventFinished, Ask: &page}))
	}
	err = errors.Join(err, emit(toolscript.Event{Type: toolscript.EventAsk, Ask: &form}))
	second := <-g.answers
	value, wrong := json.Marshal(first.Action + string(first.Content) + " " + second.Action + string(second.Content))
	return errors.Join(err, wrong, emit(toolscript.EndEvent("run_1", toolscript.End{OK: true, Value: value})))
}

func (g paying) ReplyRun(_ context.Context, _ string, a toolscript.Answer) error {
	g.answers <- a
	return nil
}

// A client that offers pages gets the address and the notification that the page is finished. Every client
// gets forms without nested objects.
func TestPagesOfClients(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			g := paying{requests: make(chan toolscript.ExecRequest, 1), answers: make(chan toolscript.Answer, 1)}
			finished, opened := make(chan string, 1), make(chan string, 1)
			s := sdkClientOf(t, plain(g), version, &sdk.ClientOptions{
				Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}},
				ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					if r.Params.Mode == "url" {
						opened <- r.Params.URL + " " + r.Params.Message + " " + r.Params.ElicitationID
						return &sdk.ElicitResult{Action: "accept"}, nil
					}
					return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"to.city": "Bonn"}}, nil
				},
				ElicitationCompleteHandler: func(_ context.Context, r *sdk.ElicitationCompleteNotificationRequest) {
					finished <- r.Params.ElicitationID
				},
			})
			result, err := s.CallTool(kit.Within(t), &sdk.CallToolParams{Name: "run_script", Arguments: map[string]any{"code": "x"}})
			if err != nil {
				t.Fatal(err)
			}
			if r := <-g.requests; !r.Ask || !r.AskPages {
				t.Errorf("the run is told %v, %v", r.Ask, r.AskPages)
			}
			if got := kit.Receive(t, opened); !strings.HasPrefix(got, "https://example.com/pay shop asks: Pay ") {
				t.Errorf("the client is asked for %s", got)
			}
			if text := result.Content[0].(*sdk.TextContent).Text; !strings.Contains(text, `accept accept{\\\"to\\\":{\\\"city\\\":\\\"Bonn\\\"}}`) && !strings.Contains(text, `accept accept{\"to\":{\"city\":\"Bonn\"}}`) {
				t.Errorf("the answers are %s", text)
			}
			if version == "2025-11-25" {
				if id := kit.Receive(t, finished); id != "run_1.ask_1" {
					t.Errorf("finished %q", id)
				}
			}
		})
	}
}

// TestClientsWithoutPages: a client that supports only forms is asked for no page.
func TestClientsWithoutPages(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		g := paying{requests: make(chan toolscript.ExecRequest, 1), answers: make(chan toolscript.Answer, 1)}
		s := sdkClient(t, plain(g), version, func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "decline"}, nil
		})
		if _, err := s.CallTool(kit.Within(t), &sdk.CallToolParams{Name: "run_script", Arguments: map[string]any{"code": "x"}}); err != nil {
			t.Errorf("%s: %v", version, err)
		}
		if r := <-g.requests; !r.Ask || r.AskPages {
			t.Errorf("%s: the run is told %v, %v", version, r.Ask, r.AskPages)
		}
	}
}
