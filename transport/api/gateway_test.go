package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
	"github.com/toolscript/toolscript/transport/oauth"
)

// fake is a Backend whose fields implement its methods. A nil function returns zero values.
type fake struct {
	reread    []string // servers passed to Reread, which reads nothing the first time
	catalog   toolscript.Catalog
	callTool  func(context.Context, toolscript.Call) (json.RawMessage, error)
	types     func(context.Context, toolscript.Filter, bool) (toolscript.Module, error)
	await     func(context.Context, toolscript.Filter) (waitedFor, pending []string)
	fetch     func(context.Context, toolscript.FetchRequest) (json.RawMessage, error)
	servers   func(context.Context) ([]toolscript.ServerStatus, error)
	status    func(context.Context) (toolscript.Status, error)
	events    func(context.Context, toolscript.LiveQuery, func([]toolscript.LiveEvent) error) error
	reload    func(context.Context, map[string]string) (toolscript.Reload, error)
	variables []string
	measures  toolscript.Measures
	beginAuth func(ctx context.Context, server, redirect string) (string, error)
	finish    func(context.Context, url.Values) (string, error)
	exec      func(context.Context, toolscript.ExecRequest, func(toolscript.Event) error) error
	harness   func(context.Context, toolscript.HarnessRequest, func(json.RawMessage) error) error
	runs      func(context.Context) ([]toolscript.RunRecord, error)
	run       func(context.Context, string) (toolscript.RunRecord, error)
	abortRun  func(context.Context, string) error
	detach    func(context.Context, toolscript.ExecRequest) (string, error)
	runEvents func(ctx context.Context, id string, wait bool, emit func(toolscript.Event) error) error
	runOutput func(context.Context, string, toolscript.OutputQuery) ([]byte, error)
	giveStdin func(context.Context, string, toolscript.StdinPiece) error
	search    func(toolscript.SearchQuery) (toolscript.SearchAnswer, error)
	stats     toolscript.SearchStats
	reply     func(context.Context, string, toolscript.Answer) error
	approvals []toolscript.Approval
	approve   func(id string, a toolscript.ApprovalAnswer, approver bool) error
	runOf     map[string]string // maps capabilities to run ids
	allow     toolscript.Filter // filter of all runs in runOf
	watch     func(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error
	profiles  map[string]toolscript.Filter
	profile   string // profile of requests that name none
}

func (f *fake) Search(_ context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
	if f.search == nil {
		return toolscript.SearchAnswer{Query: q.Text}, nil
	}
	return f.search(q)
}

func (f *fake) Events(ctx context.Context, q toolscript.LiveQuery, emit func([]toolscript.LiveEvent) error) error {
	if f.events == nil {
		return nil
	}
	return f.events(ctx, q, emit)
}

func (f *fake) Watch(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error {
	return f.watch(ctx, q, emit)
}

func (f *fake) SearchStats(context.Context) (toolscript.SearchStats, error) { return f.stats, nil }
func (f *fake) SearchStatus() toolscript.SearchStatus                       { return f.stats.SearchStatus }

func (f *fake) Describe(_ context.Context, name string) (toolscript.ToolDescription, error) {
	if name == "nobody" {
		return toolscript.ToolDescription{}, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("there is no tool")}
	}
	tool, _ := f.catalog.Lookup(name)
	return toolscript.ToolDescription{ToolID: name, ServerName: tool.Server, ToolName: tool.Name}, nil
}

func (f *fake) Reread(_ context.Context, server string) bool {
	f.reread = append(f.reread, server)
	return len(f.reread) > 1
}

func (f *fake) Catalog() toolscript.Catalog { return f.catalog }

func (f *fake) CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	if f.callTool == nil {
		return json.RawMessage(`{"content":[]}`), nil
	}
	return f.callTool(ctx, call)
}

func (f *fake) Types(ctx context.Context, filter toolscript.Filter, compact bool) (toolscript.Module, error) {
	if f.types == nil {
		return toolscript.Module{}, nil
	}
	return f.types(ctx, filter, compact)
}

func (f *fake) Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	if f.fetch == nil {
		return json.RawMessage(`{}`), nil
	}
	return f.fetch(ctx, o)
}

func (f *fake) Declarations(_ context.Context, filter toolscript.Filter) (toolscript.Module, error) {
	return toolscript.Module{Text: "declarations of " + filter.String(), ETag: "d"}, nil
}

func (f *fake) StoreTypes(_ context.Context, q toolscript.StoreQuery) (toolscript.StoreTypes, error) {
	return toolscript.StoreTypes{Types: fmt.Sprintf("%+v", q)}, nil
}

func (f *fake) Select(filter, allow toolscript.Filter) naming.Selection {
	var servers []toolscript.ServerStatus
	for _, name := range f.catalog.Servers() {
		if allow.Reaches(name) {
			servers = append(servers, toolscript.ServerStatus{Name: name, State: toolscript.Ready})
		}
	}
	return naming.NewSelection(filter, f.catalog.Filter(allow), servers)
}

func (f *fake) AwaitLists(ctx context.Context, filter toolscript.Filter) (waitedFor, pending []string) {
	return f.Await(ctx, filter)
}

func (f *fake) Await(ctx context.Context, filter toolscript.Filter) (waitedFor, pending []string) {
	if f.await == nil {
		return nil, nil
	}
	return f.await(ctx, filter)
}

func (f *fake) Servers(ctx context.Context) ([]toolscript.ServerStatus, error) {
	if f.servers == nil {
		return nil, nil
	}
	return f.servers(ctx)
}

func (f *fake) Status(ctx context.Context) (toolscript.Status, error) {
	if f.status == nil {
		return toolscript.Status{}, nil
	}
	return f.status(ctx)
}

func (f *fake) Measures(context.Context) (toolscript.Measures, error) { return f.measures, nil }

func (f *fake) Variables(context.Context) ([]string, error) { return f.variables, nil }

func (f *fake) Reload(ctx context.Context, env map[string]string) (toolscript.Reload, error) {
	if f.reload == nil {
		return toolscript.Reload{}, nil
	}
	return f.reload(ctx, env)
}

func (f *fake) PlanReload(_ context.Context, env map[string]string) (toolscript.ReloadPlan, error) {
	return toolscript.ReloadPlan{Changes: len(env) > 0, Servers: []toolscript.ServerChange{}, Settings: []toolscript.SettingChange{}, Files: []toolscript.PlannedFile{}}, nil
}

func (f *fake) RestartServer(_ context.Context, server string) (toolscript.ServerStatus, error) {
	return toolscript.ServerStatus{Name: server, State: toolscript.Ready}, nil
}

func (f *fake) BeginAuth(ctx context.Context, server, redirect string) (string, error) {
	if f.beginAuth == nil {
		return "", nil
	}
	return f.beginAuth(ctx, server, redirect)
}

func (f *fake) BeginDeviceAuth(_ context.Context, server string) (oauth.DeviceCode, error) {
	return oauth.DeviceCode{UserCode: "CODE-OF-" + server, URL: "https://as.example/enter"}, nil
}

func (f *fake) FinishAuth(ctx context.Context, query url.Values) (string, error) {
	if f.finish == nil {
		return "", nil
	}
	return f.finish(ctx, query)
}

func (f *fake) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	if f.exec == nil {
		return errors.Join(emit(start("r1")), emit(toolscript.EndEvent("r1", toolscript.End{OK: true})))
	}
	return f.exec(ctx, req, emit)
}

func (f *fake) Harness(ctx context.Context, req toolscript.HarnessRequest, emit func(json.RawMessage) error) error {
	if f.harness == nil {
		return emit(json.RawMessage(`{"type":"text","text":"a"}`))
	}
	return f.harness(ctx, req, emit)
}

func (f *fake) Runs(ctx context.Context) ([]toolscript.RunRecord, error) {
	if f.runs == nil {
		return nil, nil
	}
	return f.runs(ctx)
}

func (f *fake) Run(ctx context.Context, id string) (toolscript.RunRecord, error) {
	if f.run == nil {
		return toolscript.RunRecord{RunID: id}, nil
	}
	return f.run(ctx, id)
}

func (f *fake) AbortRun(ctx context.Context, id string) error {
	if f.abortRun == nil {
		return nil
	}
	return f.abortRun(ctx, id)
}

func (f *fake) Detach(ctx context.Context, req toolscript.ExecRequest) (string, error) {
	if f.detach == nil {
		return "", nil
	}
	return f.detach(ctx, req)
}

func (f *fake) RunEvents(ctx context.Context, id string, wait bool, emit func(toolscript.Event) error) error {
	if f.runEvents == nil {
		return nil
	}
	return f.runEvents(ctx, id, wait, emit)
}

func (f *fake) RunOutput(ctx context.Context, id string, q toolscript.OutputQuery) ([]byte, error) {
	if f.runOutput == nil {
		return nil, nil
	}
	return f.runOutput(ctx, id, q)
}

func (f *fake) GiveStdin(ctx context.Context, id string, piece toolscript.StdinPiece) error {
	if f.giveStdin == nil {
		return nil
	}
	return f.giveStdin(ctx, id, piece)
}

func (f *fake) ReplyRun(ctx context.Context, id string, answer toolscript.Answer) error {
	if f.reply == nil {
		return nil
	}
	return f.reply(ctx, id, answer)
}

func (f *fake) AcceptPins(_ context.Context, server, tool string) (toolscript.Approval, error) {
	return toolscript.Approval{ID: "apr_pin", Tool: server + "__" + tool, Pin: true}, nil
}

func (f *fake) PendingApprovals(context.Context) ([]toolscript.Approval, error) {
	return f.approvals, nil
}

func (f *fake) PendingApproval(_ context.Context, id string) (toolscript.Approval, error) {
	for _, a := range f.approvals {
		if a.ID == id {
			a.Args, a.Cut = a.Args+" in full", 0
			return a, nil
		}
	}
	return toolscript.Approval{}, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("it does not wait")}
}

func (f *fake) AnswerApproval(_ context.Context, id string, a toolscript.ApprovalAnswer, approver bool) error {
	if f.approve == nil {
		return nil
	}
	return f.approve(id, a, approver)
}

func (f *fake) ConfirmApproval(_ context.Context, id string, pid int) error {
	if f.approve == nil {
		return nil
	}
	return f.approve(id, toolscript.ApprovalAnswer{Code: strconv.Itoa(pid)}, false)
}

func (f *fake) ShowApproval(_ context.Context, id string, show func(toolscript.Approval, string)) error {
	show(toolscript.Approval{ID: id}, "CODE-OF-"+id)
	return nil
}

func (f *fake) Profile(name string) (string, toolscript.Filter, error) {
	if name == "" {
		name = f.profile
	}
	if allow, known := f.profiles[name]; known || name == "" {
		return name, allow, nil
	}
	return "", nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("there is no profile")}
}

func (f *fake) RunOf(capability string) (string, toolscript.Filter, bool) {
	run, ok := f.runOf[capability]
	return run, f.allow, ok
}

func start(run string) toolscript.Event {
	return toolscript.Event{Type: toolscript.EventStart, RunID: run}
}

// live is a gateway that serves on loopback until its test ends.
type live struct {
	*api.Server
	token string
	log   *logBook
}

// serve starts a gateway with a token and a debug log. change may modify its options.
func serve(t *testing.T, b api.Backend, change ...func(*api.Options)) *live {
	t.Helper()
	ln, err := api.Listen("", 0)
	if err != nil {
		t.Fatal(err)
	}
	l := &live{token: api.NewToken(), log: newLogBook()}
	o := api.Options{
		Listener: ln,
		Token:    l.token,
		Logger:   slog.New(slog.NewJSONHandler(l.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&o)
	}
	if l.Server, err = api.New(b, o); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- l.Serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), kit.Patience)
		defer cancel()
		if err := l.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return l
}

func noToken(o *api.Options) { o.Token = "" }

func (l *live) client(t *testing.T) *api.Client {
	t.Helper()
	c := api.NewClient(l.URL())
	t.Cleanup(c.Close)
	return c
}

// address returns host:port.
func (l *live) address() string { return strings.TrimPrefix(l.BaseURL(), "http://") }

// ask sends a JSON request to a path below the capability URL. change may modify it.
func (l *live) ask(t *testing.T, method, path, body string, change ...func(*http.Request)) answer {
	t.Helper()
	return ask(t, method, l.URL()+path, strings.NewReader(body), change...)
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if name == "Host" {
			r.Host = value
			return
		}
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

// answer is a complete HTTP answer.
type answer struct {
	status int
	header http.Header
	body   string
}

// kind returns the kind of the error in the body, or "".
func (a answer) kind() toolscript.Kind { return a.failure().Kind }

func (a answer) failure() (f failure) {
	_ = json.Unmarshal([]byte(a.body), &f) // other bodies have no kind
	return f
}

type failure struct {
	Error   string              `json:"error"`
	Kind    toolscript.Kind     `json:"kind"`
	Server  string              `json:"server"`
	Tool    string              `json:"tool"`
	RPCCode int                 `json:"rpcCode"`
	Sent    toolscript.Sent     `json:"sent"`
	RetryMs int64               `json:"retryAfterMs"`
	Details []toolscript.Detail `json:"details"`
}

func ask(t *testing.T, method, url string, body io.Reader, change ...func(*http.Request)) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), kit.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, f := range change {
		f(req)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// dial opens a connection for requests that net/http would not send.
func (l *live) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(kit.Patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// raw sends bytes and reads one answer.
func (l *live) raw(t *testing.T, request string) answer {
	t.Helper()
	conn := l.dial(t)
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	return readAnswer(t, conn)
}

func readAnswer(t *testing.T, conn net.Conn) answer {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// logBook stores log lines and lets tests wait for them.
type logBook struct {
	mu      sync.Mutex
	text    bytes.Buffer
	written chan struct{} // closed and replaced at each line
}

func newLogBook() *logBook { return &logBook{written: make(chan struct{})} }

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.written)
	b.written = make(chan struct{})
	return b.text.Write(p)
}

func (b *logBook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// line waits for a log line whose member has a value.
func (b *logBook) line(t *testing.T, member, value string) map[string]any {
	t.Helper()
	late := time.After(kit.Patience)
	for {
		b.mu.Lock()
		text, written := b.text.String(), b.written
		b.mu.Unlock()
		for line := range strings.Lines(text) {
			var entry map[string]any
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Fatalf("log line %q: %v", line, err)
			}
			if entry[member] == value {
				return entry
			}
		}
		select {
		case <-written:
		case <-late:
			t.Fatalf("no log line with %s = %q in:\n%s", member, value, text)
		}
	}
}
