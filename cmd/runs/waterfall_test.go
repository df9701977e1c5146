package runs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/cmd/runs"
	"github.com/toolscript/toolscript/cmd/terminal"
)

var start = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// line is a call that ended end milliseconds after the start of its run.
func line(id int, tool string, end, ms float64, waits toolscript.Waits) audit.Line {
	return audit.Line{
		Type: audit.TypeCall, Call: fmt.Sprint(id), Tool: tool, Time: start.Add(time.Duration(end * float64(time.Millisecond))), Ms: ms, Outcome: "ok", Waits: waits,
	}
}

func run(ms float64, calls ...audit.Line) runs.Run {
	return runs.Run{RunID: "run_1", StartedAt: start, Outcome: "ok", Ms: ms, File: "report.ts", Calls: len(calls), CallLines: calls}
}

func failed(l audit.Line) audit.Line {
	l.Outcome, l.Error = "tool_failed", "it failed"
	return l
}

// text returns the waterfall for a terminal, and checks that no line is wider.
func text(t *testing.T, r runs.Run, columns int) string {
	t.Helper()
	w := runs.WaterfallOf(r)
	var b strings.Builder
	if err := w.Text(&b, columns); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(b.String()) {
		if n := terminal.Width(strings.TrimSuffix(l, "\n")); n > max(60, columns) {
			t.Errorf("%d columns are wider than %d: %s", n, columns, l)
		}
	}
	return b.String()
}

func page(t *testing.T, r runs.Run) string {
	t.Helper()
	w := runs.WaterfallOf(r)
	var b strings.Builder
	if err := w.HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	for name, test := range map[string]struct {
		run  runs.Run
		want string
	}{
		"in a row": {
			run(390, line(1, "a__one", 100, 100, toolscript.Waits{}), line(2, "a__two", 390, 195, toolscript.Waits{})),
			`
Call Tool   0                                390 ms     Took
1    a__one ██████████                                100 ms
2    a__two                    ████████████████████   195 ms
2 calls, up to 1 at a time
█ call  ░ waits for its turn  ? for an approval  x failed
`,
		},
		"at a time, with waits and a failure": {
			run(
				3700, line(1, "a__one", 2000, 2000, toolscript.Waits{}), line(2, "a__two", 3700, 2700, toolscript.Waits{ApprovalMs: 1000, SlotMs: 1000}),
				failed(line(3, "a__three", 3000, 1000, toolscript.Waits{QueuedMs: 2000})),
			),
			`
Call Tool     0                               3.7 s     Took
1    a__one   ████████████████████                     2.0 s
3    a__three ░░░░░░░░░░░░░░░░░░░░█████████x           3.0 s
2    a__two             ??????????░░░░░░░░░░███████    2.7 s
3 calls, up to 2 at a time, 1 failed
`,
		},
		"beyond the end of the run": {
			run(100, line(1, "a__task", 380, 280, toolscript.Waits{})),
			`
Call Tool    0                               380 ms     Took
1    a__task           ████████████████████████████   280 ms
1 call
`,
		},
		"no time at all": {
			run(0, failed(line(1, "a__none", 0, 0, toolscript.Waits{}))),
			`
Call Tool    0                               0.0 ms     Took
1    a__none x                                        0.0 ms
1 call, 1 failed
`,
		},
		"numbers that contradict each other": {
			run(
				100, line(1, "a__odd", 100, 1e300, toolscript.Waits{QueuedMs: 1e300, ApprovalMs: 1e308, SlotMs: 1e308}),
				line(2, "a__odd", -100, -5, toolscript.Waits{QueuedMs: -1, ApprovalMs: -1, SlotMs: -1}),
			),
			`
Call Tool   0                                100 ms     Took
1    a__odd ???????????????????????????????????????   100 ms
2    a__odd █                                         0.0 ms
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := text(t, test.run, 60); !strings.HasPrefix(got, strings.TrimPrefix(test.want, "\n")) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

const hostile = "a\x1b[2J\u202e\"'><script>window.hacked=1</script>\n</style>{{.}}\u200b漢字__" + "x"

// TestHostileTexts: texts of servers or of a changed audit never become control characters or HTML elements.
func TestHostileTexts(t *testing.T) {
	l := line(1, strings.Repeat(hostile, 20), 50, 50, toolscript.Waits{})
	l.Call, l.Error, l.Outcome, l.Approval, l.Host, l.Sent = hostile, hostile, hostile, hostile, hostile, hostile
	r := run(100, l)
	r.RunID, r.File, r.Outcome = hostile, hostile, hostile
	for _, columns := range []int{0, 60, 61, 80, 200} {
		if got := text(t, r, columns); strings.ContainsAny(got, "\x1b\u202e\u200b") {
			t.Errorf("%q", got)
		}
	}
	got := page(t, r)
	if strings.ContainsAny(got, "\x1b\u202e\u200b") || strings.Contains(got, "<script") || strings.Count(got, "</style>") != 1 {
		t.Error(got)
	}
	if !strings.Contains(got, "&lt;script&gt;window.hacked=1") {
		t.Errorf("the texts are missing in\n%s", got)
	}
}

// many returns a run with n parallel calls: at most eight at a time, and one in fifty fails.
func many(n int) runs.Run {
	r := run(0)
	for i := range n {
		begin := float64(i/8) * 40
		l := line(i+1, fmt.Sprintf("files__read_%d", i%7), begin+30+float64(i%8), 30+float64(i%8), toolscript.Waits{QueuedMs: begin})
		if i%50 == 49 {
			l = failed(l)
		}
		if i%100 == 3 {
			l.ApprovalMs = 15
		}
		r.CallLines = append(r.CallLines, l)
		r.Ms = max(r.Ms, begin+40)
	}
	return r
}

func TestManyCalls(t *testing.T) {
	r := many(2000)
	got := text(t, r, 60)
	if n := strings.Count(got, "\n"); n != 1+runs.MostWaterfallRows+2 || !strings.Contains(got, "2000 calls, up to 8 at a time, 40 failed") {
		t.Errorf("%d lines:\n%s", n, got)
	}
	html := page(t, r)
	if n := strings.Count(html, "<details"); n != 2000 || !strings.Contains(html, "<svg") {
		t.Errorf("%d calls in the file", n)
	}
	html = page(t, many(6000))
	if n := strings.Count(html, "<details"); n != 5000 || !strings.Contains(html, "6000 calls") || !strings.Contains(html, "The last 1000 calls are left out.") {
		t.Errorf("%d calls in the file", n)
	}
}

// TestHTML: the file contains what is known about a call, and loads nothing.
func TestHTML(t *testing.T) {
	l := failed(line(7, "github__list_issues", 3000, 2500, toolscript.Waits{QueuedMs: 500, ApprovalMs: 1000, SlotMs: 250}))
	l.Approval, l.Sent, l.Host, l.Args = "person", toolscript.SentYes, "worker-1", &audit.Data{SHA256: strings.Repeat("ab", 32), Bytes: 13}
	got := page(t, run(3000, l))
	for _, want := range []string{
		"run_1", "report.ts", "2026-02-03 04:05:06 UTC", "1 call, 1 failed.", "7 github__list_issues", "✗ 3.0 s", "it failed", "person", "worker-1", "abababab 13 B",
		`class="slot" style="left:0.000%;width:16.667%"`, `class="approval" style="left:16.667%;width:33.333%"`, `class="slot" style="left:50.000%;width:8.333%"`, `class="work" style="left:58.333%;width:41.667%"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	for _, never := range []string{"<script", "http:", "https:", "src=", "@import", "href", "<svg"} {
		if strings.Contains(got, never) {
			t.Errorf("the file has %q", never)
		}
	}
	if got := page(t, run(10)); !strings.Contains(got, "0 calls") || strings.Contains(got, "<details") {
		t.Errorf("without calls:\n%s", got)
	}
	// Write the pictures, so that a person can look at them.
	if dir := os.Getenv("WATERFALLS"); dir != "" {
		for name, r := range map[string]runs.Run{"few": run(3000, l, line(8, "files__read", 2900, 1900, toolscript.Waits{})), "many": many(2000)} {
			if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(page(t, r)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
