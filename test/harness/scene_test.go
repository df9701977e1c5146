package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestMain makes the test binary act as the helpers that a gateway starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "__") {
		os.Exit(cli.Main())
	}
	var err error
	if engine, err = os.MkdirTemp("", "toolscript-engine-"); err != nil {
		panic(err)
	}
	if err := os.Setenv("TOOLSCRIPT_TEST_SECRET", "hidden-in-the-host"); err != nil { // no script may read it
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(engine)
	os.Exit(code)
}

// engine is the folder of the compiled engine, which all gateways of the tests share.
var engine string

// scene is a gateway with a server "workspace", which has the tools of the test, and with a person who
// sees requests for approval. Calls of the tool guarded need an approval.
type scene struct {
	*testing.T
	*world
	slow harness.ScriptToolCallOutput // output of a slow case
}

// world holds what the cases of a table share.
type world struct {
	gateway  *actors.System
	root     string
	requests chan request
	log      *kit.Buffer
	waiting  chan struct{} // a call of wait sends to a call of waiting

	mu       sync.Mutex
	noted    []string
	more     chan struct{} // closed at the next note
	active   int           // number of calls of meet in progress
	most     int           // maximum of active so far
	meetings map[string]*meeting
	over     chan struct{} // closed when the test ends
}

// request is a request for approval, with the code that the person sees.
type request struct {
	toolscript.Approval
	code string
}

// settings change a scene.
type settings struct {
	tools   []tool.Tool            // additional tools
	builtin []string               // names of built-in tools; nil: readFile, exec
	more    []upstream.Config      // other servers, called s0, s1, …
	config  func(*upstream.Config) // changes the configuration of the workspace
	timeout time.Duration          // timeout of approvals; 0: an hour
}

func newScene(t *testing.T, o settings) *scene {
	t.Helper()
	s := &scene{T: t, world: &world{root: t.TempDir(), requests: make(chan request, 100), log: &kit.Buffer{}, waiting: make(chan struct{}), meetings: map[string]*meeting{}, more: make(chan struct{}), over: make(chan struct{})}}
	if o.builtin == nil {
		o.builtin = []string{"readFile", "exec"}
	}
	if o.timeout == 0 {
		o.timeout = time.Hour
	}
	registry, names := builtin.NewRegistry(), o.builtin
	for _, added := range append(s.ownTools(), o.tools...) {
		registry.Register(added)
		names = append(names, added.Name)
	}
	workspace := upstream.Config{Type: upstream.Builtin, Root: s.root, Tools: names}
	if o.config != nil {
		o.config(&workspace)
	}
	servers := map[string]upstream.Config{"workspace": workspace}
	for i, more := range o.more {
		servers[fmt.Sprintf("s%d", i)] = more
	}
	system, err := gateway.Start(gateway.Options{Options: actors.Options{
		Servers: servers, Logger: s.log.Logger(), NoObserve: true,
		Approvals: actors.Approvals{
			Policies: func() toolscript.Approvals {
				return toolscript.Approvals{{
					Default: toolscript.ApprovalAllow, Timeout: o.timeout,
					Rules: []toolscript.ApprovalRule{{Match: []string{"workspace__guarded"}, Action: toolscript.ApprovalAsk}},
				}}
			},
			Show: func(a toolscript.Approval, code string) { s.requests <- request{a, code} },
		},
		Scripts: actors.Scripts{
			KeptDir: t.TempDir(),
		}},
		Host:  upstream.Host{Own: map[string]upstream.Dial{upstream.Builtin: upstream.DialWith(builtin.Dialer{Registry: registry, Host: upstream.Host{StateDir: t.TempDir()}}.Dial)}},
		Cache: func(name string) string { return map[string]string{"quickjs": engine}[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.gateway = system.System
	t.Cleanup(func() {
		close(s.over)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := system.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	system.Await(t.Context(), nil)
	return s
}

const object = `{"type": "object"}`

// ownTools returns the tools of the test.
func (s *world) ownTools() []tool.Tool {
	const text = `{"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}, "additionalProperties": false}`
	note := tool.Func(func(_ context.Context, _ *tool.Workspace, given struct{ Text string }) (map[string]any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.note(given.Text)
		return map[string]any{"noted": given.Text}, nil
	})
	return []tool.Tool{
		{
			Name: "add", Annotations: tool.Reads(),
			Input:  `{"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "additionalProperties": false}`,
			Output: `{"type": "object", "required": ["sum"], "properties": {"sum": {"type": "number"}}}`,
			Run: tool.Func(func(_ context.Context, _ *tool.Workspace, n struct{ A, B float64 }) (map[string]float64, error) {
				return map[string]float64{"sum": n.A + n.B}, nil
			}),
		},
		{Name: "note", Input: text, Output: object, Annotations: tool.Changes(), Run: note},
		{Name: "guarded", Input: text, Output: object, Annotations: tool.Changes(), Run: note},
		{
			Name: "fail", Input: object, Output: object,
			Run: func(context.Context, *tool.Workspace, json.RawMessage) (any, error) {
				return nil, errors.New("the disk is full")
			},
		},
		{
			Name: "wait", Input: object, Output: object,
			Run: func(ctx context.Context, _ *tool.Workspace, _ json.RawMessage) (any, error) {
				select {
				case s.waiting <- struct{}{}:
					<-ctx.Done()
				case <-ctx.Done():
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				s.note("aborted")
				return nil, ctx.Err()
			},
		},
		{
			Name: "waiting", Input: object, Output: object, // returns when a call of wait has begun
			Run: func(ctx context.Context, _ *tool.Workspace, _ json.RawMessage) (any, error) {
				select {
				case <-s.waiting:
					return map[string]any{}, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			},
		},
		{
			Name: "deaf", Input: object, Output: object,
			Run: func(context.Context, *tool.Workspace, json.RawMessage) (any, error) {
				<-s.over // does not end with its context
				return map[string]any{}, nil
			},
		},
		{Name: "meet", Input: object, Output: object, Run: tool.Func(s.meet)},
		{
			Name: "hang", Input: object, Output: object,
			Run: func(ctx context.Context, _ *tool.Workspace, _ json.RawMessage) (any, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
		},
	}
}

// meet returns when four calls for the same meeting are in progress.
func (s *world) meet(ctx context.Context, _ *tool.Workspace, given struct{ Of string }) (map[string]any, error) {
	s.mu.Lock()
	s.active++
	s.most = max(s.most, s.active)
	m := s.meetings[given.Of]
	if m == nil {
		m = &meeting{all: make(chan struct{})}
		s.meetings[given.Of] = m
	}
	if m.arrived++; m.arrived == 4 {
		close(m.all)
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.active--
		s.mu.Unlock()
	}()
	select {
	case <-m.all:
		return map[string]any{}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type meeting struct {
	arrived int
	all     chan struct{} // closed when four have arrived
}

// note adds a note. The caller must hold mu.
func (s *world) note(text string) {
	s.noted = append(s.noted, text)
	close(s.more)
	s.more = make(chan struct{})
}

// awaitNote waits until there is a note, for at most a minute.
func (s *scene) awaitNote() {
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	for {
		s.mu.Lock()
		found, more := len(s.noted) > 0, s.more
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

// notes returns the arguments of note and guarded since its last call.
func (s *world) notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	noted := s.noted
	s.noted = nil
	return noted
}

// at returns the scene for the subtest t.
func (s *scene) at(t *testing.T) *scene {
	t.Helper()
	return &scene{T: t, world: s.world}
}

// process processes an answer that is plain text, and returns the items.
func (s *scene) process(text string, o harness.Options) []harness.Item {
	s.Helper()
	return s.processed(plain(text), o)
}

func plain(text string) answer.Answer {
	return answer.Answer{API: answer.Chat, Parts: []answer.Part{{Text: &answer.Text{Text: text}}}}
}

func (s *scene) processed(a answer.Answer, o harness.Options) (items []harness.Item) {
	s.Helper()
	err := harness.Process(s.Context(), s.gateway, a, o, func(item harness.Item) error {
		items = append(items, item)
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return items
}

func block(code string) string { return "<tool-calls>" + code + "</tool-calls>" }

// run runs one script and returns its output.
func (s *scene) run(code string) harness.ScriptToolCallOutput {
	s.Helper()
	found := outputs(s.process("Text.\n"+block(code), harness.Options{}))
	if len(found) != 1 {
		s.Fatalf("%d outputs", len(found))
	}
	return found[0]
}

// value runs one script that must succeed with a value.
func (s *scene) value(code, want string) harness.ScriptToolCallOutput {
	s.Helper()
	o := s.run(code)
	if !o.OK || string(o.Value) != want {
		s.Errorf("%s\nhas the value %s, want %s; error %+v", code, o.Value, want, o.Error)
	}
	return o
}

// fails runs one script that must fail with an error of a class, whose message contains a text.
func (s *scene) fails(code, class, message string) harness.ScriptToolCallOutput {
	s.Helper()
	return s.failed(s.run(code), code, class, message)
}

// failed checks the output of a script that must fail.
func (s *scene) failed(o harness.ScriptToolCallOutput, code, class, message string) harness.ScriptToolCallOutput {
	s.Helper()
	if o.OK || o.Error == nil || o.Error.Code != class || !strings.Contains(o.Error.Message, message) {
		s.Errorf("%.200s\nended with ok %v, value %.100s, error %+v; want %s with %q", code, o.OK, o.Value, o.Error, class, message)
		o.Error = &harness.ScriptError{}
	}
	return o
}

func outputs(items []harness.Item) (found []harness.ScriptToolCallOutput) {
	for _, item := range items {
		if o, ok := item.(harness.ScriptToolCallOutput); ok {
			found = append(found, o)
		}
	}
	return found
}

// engineError runs a script in the engine, without the parser and the checker, and returns its error.
func (s *scene) engineError(code string) string {
	s.Helper()
	var text string
	err := s.gateway.Exec(s.Context(), toolscript.ExecRequest{Code: code, Rules: toolscript.Rules{Check: toolscript.CheckOff}}, func(e toolscript.Event) error {
		if e.Type == toolscript.EventEnd && e.Error != nil {
			text = e.Error.Name + ": " + e.Error.Message
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return text
}

// next waits for the next request for approval.
func (s *scene) next() request {
	s.Helper()
	select {
	case r := <-s.requests:
		return r
	case <-time.After(time.Minute):
		s.Fatal("after a minute: no request for approval")
		return request{}
	}
}

// answer answers a request in place of the person, with the code that was shown.
func (s *scene) answer(r request, action toolscript.ApprovalAction, scope, reason string) error {
	return s.gateway.AnswerApproval(s.Context(), r.ID, toolscript.ApprovalAnswer{Action: action, Scope: scope, Code: r.code, Reason: reason}, false)
}

// asking runs a script in the background and sends its output.
func (s *scene) asking(code string) <-chan harness.ScriptToolCallOutput {
	done := make(chan harness.ScriptToolCallOutput, 1)
	go func() {
		var found harness.ScriptToolCallOutput
		err := harness.Process(s.Context(), s.gateway, plain(block(code)), harness.Options{}, func(item harness.Item) error {
			if o, ok := item.(harness.ScriptToolCallOutput); ok {
				found = o
			}
			return nil
		})
		if err != nil {
			found.Error = &harness.ScriptError{Message: err.Error()}
		}
		done <- found
	}()
	return done
}

// table is a table of cases that are named as in the specification.
type table []struct {
	name string // name in the specification
	rule string // sentence of the specification that the case checks
	slow string // script that takes 30 seconds and runs in parallel with the other cases
	test func(*scene)
}

// run runs the cases, and fails if their number is not want, the number in the specification.
func (cases table) run(t *testing.T, s *scene, want int) {
	t.Helper()
	names, slow := map[string]bool{}, map[string]<-chan harness.ScriptToolCallOutput{}
	for _, c := range cases {
		names[c.name] = true
		if c.rule == "" {
			t.Errorf("%s proves nothing", c.name)
		}
		if c.slow != "" && !testing.Short() {
			slow[c.name] = s.asking(c.slow)
		}
	}
	for _, last := range []bool{false, true} {
		for _, c := range cases {
			if last != (c.slow != "") || last && testing.Short() {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				at := s.at(t)
				if last {
					at.slow = <-slow[c.name]
				}
				c.test(at)
			})
		}
	}
	if len(names) != want {
		t.Errorf("%d cases, want %d", len(names), want)
	}
}
