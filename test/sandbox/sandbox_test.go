// Package sandbox_test compares the engines and attacks them: the same scripts and the same escape
// attempts run on each. The scripts are in testdata.
package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/pace"
	_ "github.com/toolscript/toolscript/transport/kinds" // for Config.Kind
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestMain makes the test binary a worker if it is executed as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == worker.Command {
		os.Exit(worker.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// folder returns a new folder, which is removed at the end of the test. Unlike that of testing, it may be left
// on a system that cannot remove it.
func folder(t *testing.T) string {
	t.Helper()
	path, err := os.MkdirTemp("", "sandbox") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(path) })
	return path
}

// gateway is an actor system with both engines and a server with tools.
type gateway struct{ *actors.System }

// newGateway starts a gateway whose server "demo" has additional tools.
func newGateway(t *testing.T, more ...string) *gateway {
	t.Helper()
	return newGatewayWith(t, actors.Approvals{}, more...)
}

// newGatewayWith is like newGateway, with approvals.
func newGatewayWith(t *testing.T, approvals actors.Approvals, more ...string) *gateway {
	t.Helper()
	return newGatewayOf(t, approvals, nil, more...)
}

// newGatewayOf is like newGatewayWith, with additional servers.
func newGatewayOf(t *testing.T, approvals actors.Approvals, apis map[string]upstream.Config, more ...string) *gateway {
	t.Helper()
	engine := newDeno(t)
	cache := folder(t)
	options := worker.Options{CacheDir: cache, Log: slog.New(slog.DiscardHandler)}
	servers := map[string]upstream.Config{"demo": {Type: upstream.Stdio}}
	maps.Copy(servers, apis)
	s, err := actors.Start(actors.Options{
		Servers:   servers,
		Approvals: approvals,
		Store:     &store.Options{Folder: folder(t)}, // for calls with an idempotency key
		NoObserve: true,                              // otherwise the types would depend on the results of earlier scripts
		Dial: func(ctx context.Context, name string, cfg upstream.Config, events upstream.Events) (server.Conn, error) {
			if cfg.Type == upstream.OpenAPI {
				return openapi.Dialer{}.Dial(ctx, name, cfg, events)
			}
			return &demo{name: name, lost: make(chan struct{}), more: more, ask: events.Elicit}, nil
		},
		Scripts: engine.scripts(actors.Scripts{
			StartChecker: func(ctx context.Context) (workers.Worker, error) { return worker.StartChecker(ctx, options) },
			StartSandbox: func(ctx context.Context) (workers.Worker, error) { return worker.StartSandbox(ctx, options) },
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(s.Close(ctx), engine.close()); err != nil {
			t.Error(err)
		}
	})
	return &gateway{s}
}

// result holds everything that a client sees of a run.
type result struct {
	id             string
	end            toolscript.End
	stdout, stderr strings.Builder
	calls          []string // tools in the order in which their calls ended
	diagnostics    []toolscript.Diagnostic
}

// exec runs a script to its end. It sends input when the script reads standard input.
func (g *gateway) exec(t *testing.T, request toolscript.ExecRequest, input string) *result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), pace.Limit(3*time.Minute))
	defer cancel()
	request.Stdin = input != ""
	r := &result{}
	err := g.Exec(ctx, request, func(e toolscript.Event) error {
		switch e.Type {
		case toolscript.EventStart:
			r.id = e.RunID
		case toolscript.EventStdout:
			r.stdout.WriteString(e.Data)
		case toolscript.EventStderr:
			r.stderr.WriteString(e.Data)
		case toolscript.EventStdin:
			go func() {
				for piece := range strings.SplitAfterSeq(input, "\n") {
					_ = g.GiveStdin(ctx, r.id, toolscript.StdinPiece{Data: []byte(piece)}) // the script may end before it has read everything
				}
				_ = g.GiveStdin(ctx, r.id, toolscript.StdinPiece{EOF: true})
			}()
		case toolscript.EventCallEnd:
			word := map[bool]string{true: "ok", false: "failed"}[*e.OK]
			r.calls = append(r.calls, e.Tool+" "+word)
		case toolscript.EventDiagnostic:
			r.diagnostics = append(r.diagnostics, *e.Diagnostic)
		case toolscript.EventEnd:
			r.end = *e.End
			r.end.OK = *e.OK
		default:
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Exec: %v", err)
	}
	return r
}

// demo is a server with a few tools.
type demo struct {
	name string
	lost chan struct{}
	more []string
	ask  func(context.Context, json.RawMessage) (json.RawMessage, error)
}

func (d *demo) Info() upstream.Info   { return upstream.Info{Title: "demo"} }
func (d *demo) Lost() <-chan struct{} { return d.lost }
func (d *demo) Err() error            { return nil }
func (d *demo) Stderr() []string      { return nil }
func (d *demo) Close() error          { return nil }

// Ping always succeeds.
func (d *demo) Ping(context.Context) error { return nil }

func (d *demo) ListTools(context.Context) ([]toolscript.Tool, error) {
	var all []toolscript.Tool
	for _, name := range append([]string{"echo", "fail", "broken", "hang", "get-thing"}, d.more...) {
		tool := toolscript.Tool{Server: d.name, Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}
		if name == "promise" {
			tool.OutputSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
		}
		all = append(all, tool)
	}
	return all, nil
}

func (*demo) Fetch(context.Context, toolscript.FetchRequest, func()) (json.RawMessage, error) {
	return nil, &toolscript.Error{Kind: toolscript.NotFound, Server: "demo", Err: upstream.ErrNoCapability}
}

func (d *demo) Start(m upstream.ToolCall) upstream.Started {
	return m.Go(func(ctx context.Context) (json.RawMessage, error) { return d.call(ctx, m.Tool, m.Args) })
}

func (d *demo) call(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
	text := func(s string, isError bool) json.RawMessage {
		raw, _ := json.Marshal(map[string]any{"isError": isError, "content": []any{map[string]string{"type": "text", "text": s}}})
		return raw
	}
	switch tool {
	case "fail":
		return text("the tool says no", true), nil
	case "answer", "promise": // it returns the result that the script passes
		return args, nil
	case "broken":
		return nil, &toolscript.Error{Kind: toolscript.ToolFailed, Server: "demo", Tool: tool, RPCCode: -32000, Err: errors.New("the server broke")}
	case "deep":
		var given struct{ N int }
		err := json.Unmarshal(args, &given)
		return text(strings.Repeat("[", given.N)+strings.Repeat("]", given.N), false), err
	case "big":
		var given struct {
			MB   int
			JSON bool
		}
		err := json.Unmarshal(args, &given)
		if given.JSON {
			return text(`["`+strings.Repeat(`x","`, given.MB<<20/4)+`"]`, false), err
		}
		return text(strings.Repeat("x", given.MB<<20), false), err
	case "ask":
		given, err := d.ask(ctx, json.RawMessage(`{"message":"Well?","requestedSchema":{"type":"object","required":["who"],"properties":{"who":{"type":"string"},"age":{"type":"integer"}}}}`))
		return text(string(given), false), err
	case "hang":
		<-ctx.Done()
		return nil, toolscript.ContextError(ctx)
	}
	return text(string(args), false), nil
}

// column matches the column in a line of a stack trace.
var column = regexp.MustCompile(`(?m):\d+(\)?)$`)

// String returns the result in the form of the data files.
func (r *result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "exit %d\n", r.end.ExitCode)
	for _, d := range r.diagnostics {
		fmt.Fprintf(&b, "diagnostic %s:%d:%d %s\n", d.File, d.Line, d.Column, d.Message)
	}
	if e := r.end.Error; e != nil {
		fmt.Fprintf(&b, "error %s %s %s: %s\n", e.Code, e.Phase, e.Name, e.Message)
		if e.ToolName != "" {
			fmt.Fprintf(&b, "tool %s call %s\n", e.ToolName, e.CallID)
		}
		// The position at which a script was interrupted varies. It is unknown for a killed process.
		if ended := e.Code == toolscript.LimitTime || e.Code == toolscript.LimitMemory; e.Stack != "" && !ended {
			if e.Code == toolscript.LimitStack { // the expression in which the stack overflows varies
				e.Stack = column.ReplaceAllString(e.Stack, "$1")
			}
			fmt.Fprintf(&b, "%s\n", e.Stack)
		}
		for _, inner := range []string{"cause", "errors", "error", "suppressed"} {
			if text, has := e.Metadata[inner].(string); has {
				section(&b, inner, text+"\n")
			}
		}
	}
	if r.end.Value != nil {
		fmt.Fprintf(&b, "value %s\n", r.end.Value)
	}
	for _, call := range r.calls {
		fmt.Fprintf(&b, "call %s\n", call)
	}
	for _, d := range r.end.Detached {
		fmt.Fprintf(&b, "detached %s task %v\n", d.Tool, d.Task)
	}
	for _, u := range r.end.Unfinished {
		fmt.Fprintf(&b, "unfinished %s call %s\n", u.Tool, u.CallID)
	}
	for _, notice := range r.end.Notices {
		notice = strings.ReplaceAll(notice, ", and whether it was carried out is not known", "") // a cancelled call may not have been sent yet
		fmt.Fprintf(&b, "notice %s\n", strings.ReplaceAll(notice, r.id, "ID"))
	}
	section(&b, "stdout", r.stdout.String())
	section(&b, "stderr", r.stderr.String())
	return b.String()
}

func section(b *strings.Builder, name, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(b, "%s: %s", name, line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\\\n")
		}
	}
}
