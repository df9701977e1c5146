package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestMain(m *testing.M) {
	if code, is := harness.Helper(os.Args); is {
		os.Exit(code)
	}
	var err error
	if folder, err = os.MkdirTemp("", "toolscript-harness-"); err != nil {
		panic(err)
	}
	code := m.Run()
	if s, err := shared(); err == nil {
		_ = s.Close(context.Background()) // the tests are over
	}
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// folder contains the cache and the root folder of the gateway.
var folder string

// shared returns one gateway for all tests, because each start compiles the engine.
var shared = sync.OnceValues(func() (*actors.System, error) {
	cache, root := filepath.Join(folder, "cache"), filepath.Join(folder, "root")
	for _, name := range []string{cache, root} {
		if err := os.Mkdir(name, 0o700); err != nil {
			return nil, err
		}
	}
	registry := builtin.NewRegistry()
	for _, t := range testTools {
		registry.Register(t)
	}
	names := []string{"readFile"}
	for _, t := range testTools {
		names = append(names, t.Name)
	}
	g, err := gateway.Start(gateway.Options{
		Options: actors.Options{
			Servers: map[string]upstream.Config{"workspace": {Type: upstream.Builtin, Root: root, Tools: names}},
			Scripts: actors.Scripts{KeptDir: cache},
		},
		Host:  upstream.Host{Own: map[string]upstream.Dial{upstream.Builtin: upstream.DialWith(builtin.Dialer{Registry: registry, Host: upstream.Host{StateDir: cache}}.Dial)}},
		Cache: func(name string) string { return map[string]string{"quickjs": cache}[name] },
	})
	if err != nil {
		return nil, err
	}
	return g.System, nil
})

// localGateway returns a gateway with the test tools on the server "workspace".
func localGateway(t *testing.T) *actors.System {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s.Await(t.Context(), nil)
	return s
}

type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

const object = `{"type": "object"}`

// calls counts the calls of the tool count.
var calls struct {
	sync.Mutex
	texts []string
}

var testTools = []tool.Tool{
	{
		Name: "add", Annotations: tool.Reads(),
		Input:  `{"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "additionalProperties": false}`,
		Output: `{"type": "object", "required": ["sum"], "properties": {"sum": {"type": "number"}}}`,
		Run: tool.Func(func(_ context.Context, _ *tool.Workspace, n numbers) (map[string]float64, error) {
			return map[string]float64{"sum": n.A + n.B}, nil
		}),
	},
	{
		Name: "note", Input: `{"type": "object", "properties": {"text": {"type": "string"}}}`, Output: object, Annotations: tool.Changes(),
		Run: tool.Func(func(_ context.Context, _ *tool.Workspace, n struct {
			Text string `json:"text"`
		}) (map[string]any, error) {
			calls.Lock()
			defer calls.Unlock()
			calls.texts = append(calls.texts, n.Text)
			return map[string]any{"noted": n.Text}, nil
		}),
	},
	{
		Name: "fail", Input: object, Output: object,
		Run: func(context.Context, *tool.Workspace, json.RawMessage) (any, error) {
			return nil, errors.New("the disk is full")
		},
	},
	{
		Name: "wait", Input: object, Output: object,
		Run: func(ctx context.Context, _ *tool.Workspace, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	},
}

// noted returns the arguments of the calls of the tool note since the last call of noted.
func noted() []string {
	calls.Lock()
	defer calls.Unlock()
	texts := calls.texts
	calls.texts = nil
	return texts
}

// process processes an answer that consists of a text.
func process(t *testing.T, text string, o harness.Options) []harness.Item {
	t.Helper()
	return processed(t, answer.Answer{API: answer.Chat, Parts: []answer.Part{{Text: &answer.Text{Text: text}}}}, o)
}

func processed(t *testing.T, a answer.Answer, o harness.Options) []harness.Item {
	t.Helper()
	var items []harness.Item
	err := harness.Process(t.Context(), localGateway(t), a, o, func(item harness.Item) error {
		items = append(items, item)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// outputs returns the outputs of scripts.
func outputs(items []harness.Item) []harness.ScriptToolCallOutput {
	var found []harness.ScriptToolCallOutput
	for _, item := range items {
		if o, ok := item.(harness.ScriptToolCallOutput); ok {
			found = append(found, o)
		}
	}
	return found
}

// ran runs one script and returns its output.
func ran(t *testing.T, code string) harness.ScriptToolCallOutput {
	t.Helper()
	found := outputs(process(t, "Text.\n<tool-calls>"+code+"</tool-calls>", harness.Options{}))
	if len(found) != 1 {
		t.Fatalf("%d outputs", len(found))
	}
	return found[0]
}

var _ harness.Gateway = (*actors.System)(nil)

// kind returns the kind of the error in an output; "" if there is none.
func kind(o harness.ScriptToolCallOutput) toolscript.Kind {
	if o.Error == nil {
		return ""
	}
	return o.Error.Kind
}
