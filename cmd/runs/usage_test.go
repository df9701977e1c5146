package runs_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/runs"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/transport/upstream"
)

var update = flag.Bool("update", false, "write the golden files again")

// now is the time of all reports. All lines are earlier.
var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

const day = 24 * time.Hour

// history writes an audit and returns its folder. Each line is an audit.Line or a text.
func history(t *testing.T, lines ...any) string {
	t.Helper()
	dir := t.TempDir()
	w := audit.NewChainWriter(audit.ChainOptions{Dir: dir, KeepAge: 100000 * time.Hour, FileAge: 100000 * time.Hour})
	defer w.Close()
	for _, line := range lines {
		text, is := line.(string)
		if !is {
			made, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			text = string(made)
		}
		if err := w.Append([][]byte{[]byte(text)}, now); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func data(n int) *audit.Data {
	return &audit.Data{SHA256: strings.Repeat("0", 60) + "x" + string(rune('a'+n%26)), Bytes: 4 * n, Count: audit.Count{Tokens: &n}}
}

func usageRun(id, session string, at time.Duration, script int) audit.Line {
	return audit.Line{Type: audit.TypeRun, Time: ago(at), PID: 1, Session: session, Run: id, Client: "toolscript exec 0.1.0", Script: data(script)}
}

func call(run, tool string, at time.Duration, args, result int) audit.Line {
	return audit.Line{Type: audit.TypeCall, Time: ago(at), PID: 1, Run: run, Tool: tool, Args: data(args), Result: data(result), Outcome: "ok"}
}

func shown(run, session string, at time.Duration, n int) audit.Line {
	return audit.Line{Type: audit.TypeShown, Time: ago(at), PID: 2, Session: session, Run: run, Command: "exec", Shown: &audit.Shown{Bytes: 4 * n, Count: audit.Count{Tokens: &n}}}
}

func end(run string, at time.Duration, value int) audit.Line {
	return audit.Line{Type: audit.TypeEnd, Time: ago(at), PID: 1, Run: run, Outcome: "ok", Value: data(value)}
}

// offers returns the line of a gateway whose servers offer tools of so many bytes.
func offers(at time.Duration, bytes map[string]int) audit.Line {
	line := audit.Line{Type: audit.TypeTools, Time: ago(at), PID: 1, Offers: map[string]audit.Offer{}}
	for name, n := range bytes {
		line.Offers[name] = audit.Offer{Tools: 1, Bytes: n}
	}
	return line
}

// configured returns servers whose tools were first listed at a time before now.
func configured(t *testing.T, listed time.Duration, servers map[string][]toolscript.Tool) runs.UsageConfigured {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tools")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c := runs.UsageConfigured{Servers: map[string]upstream.Config{}, Cache: server.ToolLists(dir)}
	for name, tools := range servers {
		config := upstream.Config{Type: upstream.Stdio, Command: name}
		if err := c.Cache.Keep(name, config, tools); err != nil {
			t.Fatal(err)
		}
		c.Servers[name] = config
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		now := regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)
		text = now.ReplaceAll(text, []byte(ago(listed).UTC().Format(`"2006-01-02T15:04:05Z"`)))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func tool(name, description string) toolscript.Tool {
	return toolscript.Tool{Name: name, Description: description, InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)}
}

// definition returns the expected number of tokens of a definition.
func definition(t toolscript.Tool) int {
	n := texts.Tokens(`{"name":"` + t.Name + `","description":"` + t.Description + `","inputSchema":` + string(t.InputSchema) + `}`)
	return n
}

func read(t *testing.T, dir string, q runs.UsageQuery, c runs.UsageConfigured) *runs.UsageReport {
	t.Helper()
	if q.Now.IsZero() {
		q.Now = now
	}
	r, err := runs.ReadUsage(dir, q, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	list   = tool("list", "Lists the issues of a repository, the newest first.")
	move   = tool("move", strings.Repeat("Moves an issue to another repository with its comments. ", 30))
	opened = tool("read", "Reads a file.")
)

// TestReport compares a whole report with a golden file.
func TestReport(t *testing.T) {
	c := configured(t, 30*day, map[string][]toolscript.Tool{"github": {list, move}, "files": {opened}})
	dir := history(t,
		offers(10*day, map[string]int{"github": 400, "files": 100, "gone": 80}),
		usageRun("run_old", "s1", 8*day, 500), call("run_old", "files__read", 8*day, 1, 5),
		usageRun("run_1", "s1", 2*day, 40), call("run_1", "github__list", 2*day, 10, 3000), call("run_1", "github__list", 2*day, 10, 1000), end("run_1", 2*day, 90),
		shown("run_1", "s1", 2*day, 100), shown("", "s1", 2*day, 70),
		usageRun("run_2", "s1", day, 40), call("run_2", "github__list", day, 10, 60_000), end("run_2", day, 25),
		call("", "gone__x", day, 4, 8),
	)
	r := read(t, dir, runs.UsageQuery{Since: ago(7 * day)}, c)
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "report.json")
	if *update {
		if err := os.WriteFile(golden, append(text, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(text)+"\n" {
		t.Errorf("the report differs from %s:\n%s", golden, text)
	}
}

// TestWork checks the comparison of costs with the numbers of one session.
func TestWork(t *testing.T) {
	c := configured(t, 30*day, map[string][]toolscript.Tool{"github": {list, move}})
	// The line of the command comes before those that the gateway writes about the run.
	dir := history(t, shown("run_1", "s1", day, 100), usageRun("run_1", "s1", day, 40), call("run_1", "github__list", day, 10, 30_000), shown("", "s1", day, 70))
	w := read(t, dir, runs.UsageQuery{Since: ago(7 * day)}, c).Work
	if want := (runs.UsageCost{Written: 40, Read: 170, Total: 210}); w.Toolscript != want {
		t.Errorf("with toolscript %+v, want %+v", w.Toolscript, want)
	}
	defined := definition(list) + definition(move)
	if want := (runs.UsageCost{Definitions: defined, Written: 10, Read: runs.MostShown, Total: defined + 10 + runs.MostShown}); w.Plain != want {
		t.Errorf("as plain tool calls %+v, want %+v", w.Plain, want)
	}
	if w.Saved != w.Plain.Total-210 || w.CutResults != 1 || w.Assumed != 1 {
		t.Errorf("%+v", w)
	}
}

// TestCallsOfScripts: calls of the store, of search and of saved scripts do not count as work of a
// client without scripts, because it has none of these.
func TestCallsOfScripts(t *testing.T) {
	plain := []any{usageRun("run_1", "s1", day, 40), call("run_1", "github__list", day, 10, 30), shown("run_1", "s1", day, 30)}
	own := append(slices.Clone(plain), call("run_1", "$store__set", day, 500, 5), call("run_1", "$search", day, 7, 600), call("run_1", "$scripts__daily", day, 7, 600))
	text := func(lines []any) string {
		made, err := json.Marshal(read(t, history(t, lines...), runs.UsageQuery{Since: ago(7 * day)}, runs.UsageConfigured{}))
		if err != nil {
			t.Fatal(err)
		}
		return string(made)
	}
	if want, got := text(plain), text(own); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestLoss: if a script costs more than its call, the report has a negative saving.
func TestLoss(t *testing.T) {
	dir := history(t, offers(day, map[string]int{"github": 40}), usageRun("run_1", "s1", day, 400), call("run_1", "github__list", day, 10, 30), shown("run_1", "s1", day, 30))
	w := read(t, dir, runs.UsageQuery{Since: ago(7 * day)}, runs.UsageConfigured{}).Work
	if want := 10 + 10 + 30 - 430; w.Saved != want || w.Assumed != 0 {
		t.Errorf("saved %d, assumed %d; want %d and none", w.Saved, w.Assumed, want)
	}
}

// TestSessions: definitions count once for each session, and once a day for lines without a
// session. A repeated script counts once for each session.
func TestSessions(t *testing.T) {
	dir := history(t, offers(5*day, map[string]int{"github": 400}),
		usageRun("run_1", "s1", 50*time.Hour, 40), usageRun("run_2", "s1", 49*time.Hour, 40), usageRun("run_3", "s2", 48*time.Hour, 40),
		usageRun("run_4", "", 3*time.Hour, 40), usageRun("run_5", "", 2*time.Hour, 40), usageRun("run_6", "", 30*time.Hour, 40))
	r := read(t, dir, runs.UsageQuery{Since: ago(7 * day)}, runs.UsageConfigured{})
	if r.Sessions != 4 || r.Runs != 6 || r.Work.Plain.Definitions != 4*100 || r.Work.Toolscript.Written != 4*40 {
		t.Errorf("%d sessions, %d runs: %+v", r.Sessions, r.Runs, r.Work)
	}
}

// TestOffers: the definitions of a session are those that its gateway offered at the session's end.
func TestOffers(t *testing.T) {
	dir := history(t, offers(5*day, map[string]int{"github": 400, "files": 200}), usageRun("run_1", "s1", 4*day, 1),
		offers(3*day, map[string]int{"files": 0}), usageRun("run_2", "s2", 2*day, 1), offers(day, map[string]int{"github": 4000}))
	if w := read(t, dir, runs.UsageQuery{Since: ago(7 * day)}, runs.UsageConfigured{}).Work; w.Plain.Definitions != 150+100 {
		t.Errorf("definitions %d, want 250", w.Plain.Definitions)
	}
}

// TestCallsFromAShell: for toolscript call, the model writes only the arguments, and no script.
func TestCallsFromAShell(t *testing.T) {
	direct := usageRun("run_1", "s1", day, 40)
	direct.Client = "toolscript call 0.1.0"
	dir := history(t, direct, call("run_1", "github__list", day, 10, 30), shown("run_1", "s1", day, 31))
	if w := read(t, dir, runs.UsageQuery{Since: ago(7 * day)}, runs.UsageConfigured{}).Work; w.Toolscript.Written != 10 || w.Toolscript.Read != 31 {
		t.Errorf("%+v", w.Toolscript)
	}
}

// TestOldAndBrokenLines: tokens are estimated for lines of a version that did not store them, and
// invalid lines are skipped.
func TestOldAndBrokenLines(t *testing.T) {
	old := call("run_1", "github__list", day, 10, 100)
	old.Args.Count, old.Result.Count = audit.Count{}, audit.Count{}
	wrong := call("run_1", "github__list", day, 10, 100)
	*wrong.Result.Tokens = -5
	dir := history(t, usageRun("run_1", "s1", day, 40), old, `{"type":"call","run":7}`, `{"type":"shown"}`, `{"type":"call","tool":"github__list","time":"2026-11-26T00:00:00Z"}`, `{"type":"new","run":"run_1"}`, wrong)
	files, err := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("{\"seq\":99,\"type\":\"ca\n\x00\xff\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r := read(t, dir, runs.UsageQuery{Since: ago(7 * day)}, runs.UsageConfigured{})
	if len(r.Tools) != 1 || r.Tools[0].Calls != 2 || r.Tools[0].Arguments != 20 || r.Tools[0].Results != 100 || r.Estimated != 2 {
		t.Errorf("%+v, %d estimated", r.Tools, r.Estimated)
	}
}

// TestPeriod: lines before the period or after now do not count.
func TestPeriod(t *testing.T) {
	dir := history(t, usageRun("run_1", "s1", 8*day, 40), call("run_1", "a__b", 8*day, 1, 1), call("run_1", "a__b", 6*day, 1, 1), usageRun("run_2", "s1", -time.Hour, 1), call("run_2", "a__b", -time.Hour, 1, 1))
	for since, calls := range map[time.Duration]int{7 * day: 1, 9 * day: 2, day: 0} {
		r := read(t, dir, runs.UsageQuery{Since: ago(since)}, runs.UsageConfigured{})
		got := 0
		for _, one := range r.Tools {
			got += one.Calls
		}
		if got != calls {
			t.Errorf("since %s: %d calls, want %d", since, got, calls)
		}
	}
}

// TestRuns: a report about single runs contains no definitions, whatever the age of the runs.
func TestRuns(t *testing.T) {
	dir := history(t, offers(9*day, map[string]int{"a": 400}), usageRun("run_1", "s1", 8*day, 40), call("run_1", "a__b", 8*day, 2, 30), shown("run_1", "s1", 8*day, 7), usageRun("run_2", "s1", day, 1), call("run_2", "a__b", day, 1, 1))
	r := read(t, dir, runs.UsageQuery{Runs: []string{"run_1"}}, runs.UsageConfigured{})
	if r.Runs != 1 || !r.Work.WithoutDefinitions || r.Work.Plain.Total != 32 || r.Work.Toolscript.Total != 47 || len(r.Exclude) != 0 {
		t.Errorf("%+v %+v", r, r.Work)
	}
}

// TestServer: a report about one server has its tools, and no comparison of costs.
func TestServer(t *testing.T) {
	dir := history(t, usageRun("run_1", "s1", day, 40), call("run_1", "a__b", day, 2, 30), call("run_1", "c__d", day, 2, 30))
	r := read(t, dir, runs.UsageQuery{Since: ago(7 * day), Server: "a"}, runs.UsageConfigured{})
	if len(r.Servers) != 1 || r.Servers[0].Server != "a" || len(r.Tools) != 1 || r.Work != nil {
		t.Errorf("%+v", r)
	}
}

func TestAdvice(t *testing.T) {
	dir := history(t, usageRun("run_1", "s1", day, 40), call("run_1", "github__list", day, 2, 30))
	servers := map[string][]toolscript.Tool{"github": {list, move}, "my files": {opened}}
	c := configured(t, 30*day, servers)
	github := c.Servers["github"]
	github.ExcludeTools = []string{"old_*"}
	c.Servers["github"] = github
	got := read(t, dir, runs.UsageQuery{Since: ago(7 * day)}, c).Exclude
	if len(got) != 2 || got[0].Do != `"excludeTools": ["old_*","move"]` || got[0].Tokens != definition(move) || got[0].Server != "github" ||
		got[1].Do != "toolscript disable 'my files'" || got[1].Tokens != definition(opened) || got[1].Young {
		t.Errorf("%+v", got)
	}
	// Two days are too short for a period of a week, and enough for one of a day.
	young := configured(t, 2*day, servers)
	if got := read(t, dir, runs.UsageQuery{Since: ago(7 * day)}, young).Exclude; len(got) != 1 || !got[0].Young || got[0].Do != "" {
		t.Errorf("known for two days: %+v", got)
	}
	if got := read(t, dir, runs.UsageQuery{Since: ago(day)}, young).Exclude; len(got) != 2 || got[0].Young || got[1].Young {
		t.Errorf("known for two days, in a period of one: %+v", got)
	}
	// Without any use, there is no advice.
	if got := read(t, history(t), runs.UsageQuery{Since: ago(7 * day)}, c).Exclude; len(got) != 0 {
		t.Errorf("without a run: %+v", got)
	}
}

// TestNoAudit: the report is empty if the folder does not exist.
func TestNoAudit(t *testing.T) {
	r := read(t, filepath.Join(t.TempDir(), "none"), runs.UsageQuery{Since: ago(day)}, runs.UsageConfigured{})
	if r.Sessions != 0 || r.Servers == nil || r.Tools == nil || r.Exclude == nil {
		t.Errorf("%+v", r)
	}
}
