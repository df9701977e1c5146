package status

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// hostile is a text that a server could send in place of any other.
const hostile = "\x1b[2J\x1b]0;x\x07\r\nevil\u202e \u200b日本語テキスト👩‍👩‍👧 Z\u0301\u0301\u0301\u0301\u0301\u0301 \xff a-word-that-is-longer-than-any-line-of-a-terminal-of-eighty-columns-and-goes-on-and-on"

// sample returns a model with an entry of each kind, and with text in every place that can have one.
func sample(text string) *model {
	m := newModel(context.Background(), nil)
	m.now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at, soon, failed, code := m.now.Add(-83*time.Second), m.now.Add(12*time.Second), false, 1
	m.known = true
	m.state = toolscript.Snapshot{
		Gateway:   toolscript.GatewayInfo{Version: "0.1.0", PID: 4242, Started: m.now.Add(-2*time.Hour - 3*time.Minute), Configuration: []string{"/home/me/.toolscript.json", text}, Ready: 1, Total: 3, Tools: 57},
		Attention: []toolscript.Attention{{ID: "server/github", Severity: toolscript.SeverityError, Subject: "server github", Problem: "not connected: " + text, Action: toolscript.ActionRestart, Target: "github", Command: "toolscript servers restart github"}},
		Servers: []toolscript.ServerEntry{
			{ID: "files", ServerStatus: toolscript.ServerStatus{Name: "files", Type: "stdio", State: toolscript.Ready, Tools: 14, Since: at, Calls: 1203, Errors: 4, P50Ms: 0.8, P95Ms: 12, InFlight: 2, Queued: 1}},
			{ID: "github", ServerStatus: toolscript.ServerStatus{Name: "github", Title: text, Type: "http", State: toolscript.Backoff, Since: at, Attempt: 3, NextRetry: &soon, Error: text, Stderr: []string{text, text}}},
			{ID: "mail", ServerStatus: toolscript.ServerStatus{Name: "mail", Type: "http", State: toolscript.NeedsAuth, Since: at}},
		},
		Actors: []toolscript.ActorEntry{
			{ID: "system", ActorStatus: toolscript.ActorStatus{Name: "system", State: "running", Since: at, Messages: 12}},
			{ID: "server/github", ActorStatus: toolscript.ActorStatus{Name: "server/github", Parent: "system", State: "restarting", Since: at, Restarts: 2, Waiting: 7, MailboxMs: 1200, LastError: text, LastStack: "panic: " + text + "\nmain.go:1"}},
		},
		Runs: []toolscript.RunEntry{
			{ID: "run_1", RunRecord: toolscript.RunRecord{RunID: "run_1", State: "running", File: text, Engine: "quickjs", StartedAt: at, Limits: toolscript.Limits{TimeoutMs: 300_000, ToolCalls: 1000, OutputBytes: 10_000_000, MemoryMB: 64}}, Used: toolscript.RunUse{ToolCalls: 3, OutputBytes: 1200}},
			{ID: "run_0", RunRecord: toolscript.RunRecord{RunID: "run_0", State: "ended", File: "report.ts", StartedAt: at, EndedAt: &m.now, OK: &failed, Kind: toolscript.Threw, ExitCode: &code, Error: &toolscript.RunError{Name: "Error", Message: text}}},
		},
		Calls: []toolscript.CallEntry{
			{ID: "1", Tool: "files__read_file", State: toolscript.CallRunning, Since: at, ArgsBytes: 31, Run: "run_1"},
			{ID: "0", Tool: text, State: toolscript.CallEnded, Since: at, Outcome: text, Error: text, Ms: 12, ArgsBytes: 2000, ResultBytes: 1_500_000},
		},
		Approvals: []toolscript.Approval{{ID: "apr_1", Tool: text, Args: text, Changed: text, Run: "run_1", Since: at, Expires: soon}},
		Sessions:  []toolscript.SessionEntry{{ID: "http_1", MCPClient: toolscript.MCPClient{Client: text, Version: text}, Transport: "http", Since: at, Last: &at, Calls: new(int64(3)), Waits: []string{"run_script", text}}, {ID: "stdio_1", Transport: "stdio", Since: at}},
		Index:     []toolscript.IndexEntry{{ID: "search", Search: &toolscript.SearchStats{Model: text, LastError: text, SearchStatus: toolscript.SearchStatus{State: "hybrid"}}}, {ID: "types", Types: &toolscript.TypesStats{Modules: 2, Bytes: 12345, Hits: 3, Misses: 1}}},
		Logs:      []toolscript.LogLine{{ID: "1", Time: at, Level: "WARN", Message: text, Attrs: map[string]string{text: text, "server": "github"}}},
	}
	m.gateway = &requests{}
	return m
}

// press types keys: each letter is a key, and names in angle brackets are other keys.
func press(m *model, keys string) (commands []tea.Cmd) { return pressOn(m, keys) }

func pressOn(m tea.Model, keys string) (commands []tea.Cmd) {
	named := map[string]tea.KeyPressMsg{
		"<enter>": {Code: tea.KeyEnter}, "<esc>": {Code: tea.KeyEscape}, "<down>": {Code: tea.KeyDown}, "<tab>": {Code: tea.KeyTab}, "<back>": {Code: tea.KeyBackspace},
	}
	for _, key := range regexp.MustCompile(`<[a-z]+>|.`).FindAllString(keys, -1) {
		k, ok := named[key]
		if !ok {
			k = tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
		}
		if _, c := m.Update(k); c != nil {
			commands = append(commands, c)
		}
	}
	return commands
}

func screenOf(m *model) string { return colour.ReplaceAllString(strings.Join(m.lines(), "\n"), "") }

// Every screen has exactly the size of the terminal, whatever servers send, and no text of
// a server reaches the terminal as a control sequence.
func TestFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 24}, {200, 50}, {20, 6}, {3, 2}, {80, 1}} {
		for _, keys := range []string{"", "?", "/x", "/x<enter>"} {
			for view := range views {
				for _, inside := range []string{"", "<enter>", "<down><down><enter>"} {
					for _, lost := range []string{"", hostile} {
						m := sample(hostile)
						m.width, m.height, m.lost = size[0], size[1], lost
						press(m, fmt.Sprint(view+1)+inside+keys)
						lines := m.lines()
						if len(lines) != size[1] {
							t.Errorf("%v, view %d, %q: %d lines", size, view+1, inside+keys, len(lines))
						}
						for _, line := range lines {
							plain := colour.ReplaceAllString(line, "")
							if terminal.Width(plain) > size[0] || strings.ContainsFunc(plain, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.Is(unicode.Bidi_Control, r) }) {
								t.Errorf("%v, view %d, %q: %q", size, view+1, inside+keys, line)
							}
						}
					}
				}
			}
		}
	}
}

// The first view of a small terminal begins with what needs attention, with the command for it.
func TestOverview(t *testing.T) {
	m := sample("refused")
	shown := screenOf(m)
	t.Log("\n" + shown)
	last := 0
	for _, text := range []string{"toolscript  live  0.1.0, pid 4242, 1 of 3 ready, 57 tools, up 2 h 3 min", "Configuration: /home/me/.toolscript.json", "1 Overview 2 Servers",
		"Needs attention", "server github: not connected: refused", "→ toolscript servers restart github", "Servers", "files", "ready", "1203", "0.8 ms", "12 ms", "backoff 13 s", "http", "needs login", "Runs that go on", "run_1"} {
		at := strings.Index(shown[last:], text)
		if at < 0 {
			t.Errorf("%q is missing or in the wrong place", text)
		}
		last += max(0, at)
	}
}

// Each view has its entries, and a filter keeps those that contain its text.
func TestViews(t *testing.T) {
	m := sample("a text of a server")
	for view, texts := range [][]string{
		1: {"files", "github", "mail"}, 2: {"run_1", "1 min 23 s/5 min", "3/1000", "1.2 kB/10.0 MB", "failed, threw", "→ a aborts it"}, 3: {"apr_1", "12 s", "Arguments: a text", "toolscript approvals allow apr_1"},
		4: {"files__read_file", "running", "1.5 MB"}, 5: {"system", "· server/github", "7, 1.2 s", "restarting"}, 6: {"hybrid", "12 kB", "75 % of 4"}, 7: {"WARN", "server=github"},
	} {
		if view == 0 {
			continue
		}
		press(m, fmt.Sprint(view+1))
		shown := screenOf(m)
		t.Log("\n" + shown)
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				t.Errorf("view %d lacks %q", view+1, text)
			}
		}
	}
	press(m, "2/GIT<enter>")
	if shown := screenOf(m); !strings.Contains(shown, "github") || strings.Contains(shown, "mail") {
		t.Errorf("filtered:\n%s", shown)
	}
	press(m, "/<esc>")
	if shown := screenOf(m); !strings.Contains(shown, "mail") {
		t.Errorf("not filtered:\n%s", shown)
	}
}

// requests records the requests of a model.
type requests struct {
	made []string
	err  error
}

func (r *requests) RestartServer(_ context.Context, name string) (toolscript.ServerStatus, error) {
	r.made = append(r.made, "restart "+name)
	return toolscript.ServerStatus{State: toolscript.Ready}, r.err
}

func (r *requests) AbortRun(_ context.Context, id string) error {
	r.made = append(r.made, "abort "+id)
	return r.err
}

func (r *requests) AnswerApproval(_ context.Context, id string, a toolscript.ApprovalAnswer) error {
	r.made = append(r.made, fmt.Sprint(a.Action, " ", id, " ", a.Code))
	return r.err
}

// Keys act on the selected row, ask first, and report the result.
func TestActions(t *testing.T) {
	for _, tt := range []struct {
		keys, request, told string
		err                 error
	}{
		{"2<down>ry", "restart github", "github was restarted; it is ready", nil},
		{"2<down>rn", "", "not done", nil},
		{"1ry", "restart github", "github was restarted", nil}, // the problem at the top
		{"3ay", "abort run_1", "run_1 was aborted", nil},
		{"3ay", "abort run_1", "failed: gone", errors.New("gone")},
		{"3<down>a", "", "a needs a run", nil}, // the run has ended
		{"2a", "", "a needs a run that goes on", nil},
		{"2<down><down>l", "", "toolscript auth mail", nil},
		{"4dy", "deny apr_1 ", "was denied", nil},
		{"4oabx<back>c<enter>", "allow apr_1 ABC", "was allowed", nil},
		{"4oab<esc>", "", "", nil},
	} {
		m := sample("x")
		r := &requests{err: tt.err}
		m.gateway = r
		for _, command := range press(m, tt.keys) {
			m.Update(command())
		}
		if got := strings.Join(r.made, ","); got != tt.request || !strings.Contains(m.foot(), tt.told) {
			t.Errorf("%s: requests %q, shown %q", tt.keys, got, m.foot())
		}
	}
	m := sample("x")
	m.gateway, m.lost = nil, "the gateway is stopping"
	press(m, "2r")
	if shown := screenOf(m); !strings.Contains(shown, "DISCONNECTED") || !strings.Contains(shown, "Old state. No connection: the gateway is stopping") || !strings.Contains(shown, "there is no connection") {
		t.Errorf("without a gateway:\n%s", shown)
	}
}
