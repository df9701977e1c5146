package commands_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/commands"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == command.Command {
		os.Exit(command.Main())
	}
	os.Exit(m.Run())
}

// run runs a program like the gateway.
func run(ctx context.Context, c upstream.Program) (upstream.ProgramResult, error) {
	r, err := command.Runner{}.Run(ctx, command.Spec{
		Args: c.Args, Root: c.Root, Dir: c.Dir, Writable: c.Writable, Env: c.Env, Network: c.Network, Timeout: c.Timeout, Stdin: c.Stdin, MaxOutput: c.MaxOutput,
	})
	return upstream.ProgramResult{ExitCode: r.ExitCode, Stdout: r.Stdout, Stderr: r.Stderr, Aggregated: r.Aggregated, TimedOut: r.TimedOut, Duration: r.Duration}, err
}

func parse(t *testing.T, text string) commands.Definition {
	t.Helper()
	all, err := commands.Parse(json.RawMessage(`{"tool":` + text + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return all["tool"]
}

func TestArguments(t *testing.T) {
	const parameters = `"parameters": {"text": "a text", "more": {"optional": true}, "n": {"type": "integer", "flag": "-n", "optional": true}, "limit": {"type": "number", "flag": "--limit=", "default": 5},
		"all": {"type": "boolean", "flag": "--all"}, "tags": {"type": "array", "items": {"type": "string"}, "flag": "--tag", "optional": true}, "files": {"type": "array", "optional": true},
		"ids": {"type": "array", "join": ",", "optional": true}}`
	for _, c := range []struct {
		name, run, args string
		want            []string // nil if an error is expected
	}{
		{"text", `["p", "{text}"]`, `{"text": "a b; $(c) 'd' \"e\""}`, []string{"p", `a b; $(c) 'd' "e"`}},
		{"inside", `["p", "x/{text}/{more}.txt"]`, `{"text": "a", "more": "b"}`, []string{"p", "x/a/b.txt"}},
		{"inside, absent", `["p", "x/{text}/{more}.txt", "z"]`, `{"text": "a"}`, []string{"p", "z"}},
		{"absent", `["p", "{more}", "z"]`, `{}`, []string{"p", "z"}},
		{"null is absent", `["p", "{more}", "z"]`, `{"more": null}`, []string{"p", "z"}},
		{"empty text", `["p", "{text}"]`, `{"text": ""}`, []string{"p", ""}},
		{"flag", `["p", "{n}"]`, `{"n": 12}`, []string{"p", "-n", "12"}},
		{"negative number after a flag", `["p", "{n}"]`, `{"n": -12}`, []string{"p", "-n", "-12"}},
		{"joined flag with a default", `["p", "{limit}"]`, `{}`, []string{"p", "--limit=5"}},
		{"digits are kept", `["p", "{limit}"]`, `{"limit": 12345678901234567890.10}`, []string{"p", "--limit=12345678901234567890.10"}},
		{"boolean", `["p", "{all}"]`, `{"all": true}`, []string{"p", "--all"}},
		{"boolean false", `["p", "{all}"]`, `{"all": false}`, []string{"p"}},
		{"array", `["p", "{tags}"]`, `{"tags": ["a", "-b"]}`, []string{"p", "--tag", "a", "--tag", "-b"}},
		{"array without a flag", `["p", "{files}", "z"]`, `{"files": ["a", "b c"]}`, []string{"p", "a", "b c", "z"}},
		{"empty array", `["p", "{files}", "z"]`, `{"files": []}`, []string{"p", "z"}},
		{"joined array", `["p", "--ids={ids}"]`, `{"ids": [1, "b"]}`, []string{"p", "--ids=1,b"}},
		{"empty joined array", `["p", "--ids={ids}"]`, `{"ids": []}`, []string{"p"}},
		{"words in braces", `["p", "{range .items[*]}{.metadata.name}{end}", "{print}", "{text}@{upstream}", "{end}{text}"]`, `{"text": "a"}`, []string{"p", "{range .items[*]}{.metadata.name}{end}", "{print}", "a@{upstream}", "{end}a"}},
		{"template", `["p", "{{text}}", "{{json .}}", "{", "{}", "{not.one}"]`, `{"text": "a"}`, []string{"p", "{{text}}", "{{json .}}", "{", "{}", "{not.one}"}},
		{"value with a placeholder", `["p", "a{text}b{more}"]`, `{"text": "{more}", "more": "c"}`, []string{"p", "a{more}bc"}},
		{"after --", `["p", "--", "{text}"]`, `{"text": "-x"}`, []string{"p", "--", "-x"}},
		{"hyphen inside", `["p", "x{text}"]`, `{"text": "-x"}`, []string{"p", "x-x"}},

		{"option", `["p", "{text}"]`, `{"text": "-x"}`, nil},
		{"option in a prefix", `["p", "{text}/x"]`, `{"text": "--output="}`, nil},
		{"option in an array", `["p", "{files}"]`, `{"files": ["a", "--b"]}`, nil},
		{"option before --", `["p", "{text}", "--"]`, `{"text": "-x"}`, nil},
		{"empty text before an option", `["p", "{more}{text}"]`, `{"more": "", "text": "-x"}`, nil},
		{"NUL", `["p", "{text}"]`, `{"text": "a\u0000b"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := parse(t, `{"run": `+c.run+`, `+parameters+`}`).Arguments(json.RawMessage(c.args))
			if (err != nil) != (c.want == nil) || !slices.Equal(got, c.want) {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// TestSchemas: schemas contain the texts of the configuration unchanged.
func TestSchemas(t *testing.T) {
	conn, err := commands.Dialer{RunCommand: run}.Dial(t.Context(), "c", upstream.Config{
		Type: upstream.Command, Root: t.TempDir(), Commands: json.RawMessage(`{"x": {"run": ["true", "{a}", "{b}"], "parameters": {"a": "a <b> & c", "b": {"description": "d > e"}}}}`),
	}, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	tools, err := conn.ListTools(t.Context())
	if want := `"a":{"description":"a <b> & c","type":"string"},"b":{"description":"d > e","type":"string"}`; err != nil || !strings.Contains(string(tools[0].InputSchema), want) {
		t.Errorf("ListTools = %s, %v; want %s", tools[0].InputSchema, err, want)
	}
}

// FuzzArguments: a value never becomes more than one argument, and never an option.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"a", "-x", "", "a b", "{text}", "\x00", "--", "'"} {
		f.Add(seed, seed)
	}
	d := commands.Definition{Run: []string{"p", "{text}", "x={more}", "{more}.txt", "--", "{text}"}, Parameters: map[string]commands.Parameter{"text": {Type: "string"}, "more": {Type: "string"}}}
	f.Fuzz(func(t *testing.T, text, more string) {
		args, err := json.Marshal(map[string]string{"text": text, "more": more})
		if err != nil {
			t.Skip()
		}
		words, _, err := d.Arguments(args)
		if err != nil {
			return
		}
		if len(words) != 6 || strings.HasPrefix(words[1], "-") || strings.HasPrefix(words[3], "-") {
			t.Errorf("%q and %q became %q", text, more, words)
		}
	})
}

func TestCheck(t *testing.T) {
	for definition, want := range map[string]string{
		`{"run": ["p", "{a}"], "parameters": {"a": "x"}}`:                   ":",
		`{"run": ["p", "{{a}}", "{1}"]}`:                                    ":",
		`{"run": []}`:                                                       "run:names no program",
		`{"run": [""]}`:                                                     "run:names no program",
		`{"run": ["p", "{b}", "{a}"], "parameters": {"a": "x"}}`:            ":",
		`{"run": "p"}`:                                                      ":json: cannot unmarshal string into Go struct field Definition.run of type []string",
		`{"run": ["p"], "parameters": {"a": "x"}, "stdin": "a"}`:            ":",
		`{"run": ["p"], "stdin": "a"}`:                                      "stdin:a names no parameter; the parameters are: ",
		`{"run": ["p"], "parameters": {"a": {"flag": "-a"}}, "stdin": "a"}`: `stdin:a has a flag, or is an array without "join"`,
		`{"run": ["{a}"], "parameters": {"a": "x"}}`:                        "run.0:the program itself cannot be a parameter",
		`{"run": ["p"], "parameters": {"a": "x"}}`:                          "parameters.a:is not used: write {a} in run, or name it in stdin",
		`{"run": ["p", "x{a}"], "parameters": {"a": {"flag": "-a"}}}`:       "run.1:{a} has a flag, so it must be an argument of its own",
		`{"run": ["p", "x{a}"], "parameters": {"a": {"type": "array"}}}`:    `run.1:{a} is an array, so it must be an argument of its own, or have "join"`,
		`{"run": ["p", "{a}"], "parameters": {"a": {"join": ","}}}`:         "parameters.a.join:is for a parameter of type array",
	} {
		field, problem := parse(t, definition).Check()
		if got := field + ":" + problem; got != want {
			t.Errorf("Check(%s) = %s, want %s", definition, got, want)
		}
	}
}

// TestNear: Near warns of a word in braces that is not a parameter but resembles one.
func TestNear(t *testing.T) {
	for word, want := range map[string]string{
		"{branch}": "", "{brnch}": "branch", "{end}": "", "@{branchs}": "", "{{brunch}}": "", "{BRANCH}": "branch",
		"{nm" + "ae}": "name", "{naem}": "name", "{anme}": "name", "x{mane}": "", "{n}": "", "{name }": "name", "{ name }": "name", "{{ name }}": "", "{\tname}": "name",
		"{user-id}": "user_id", "{userId}": "user_id", "{user id}": "user_id", "{user.id}": "user_id", "{user_di}": "user_id", "{print $1}": "", "{print name}": "", "{not.one}": "",
		"{limit }": "limit", "{limit}": "", "{}": "", "{ }": "", "{.name}": "",
	} {
		d := commands.Definition{Run: []string{"p", word}, Parameters: map[string]commands.Parameter{"branch": {}, "name": {}, "user_id": {}, "limit": {}}}
		fields, warnings := d.Near()
		if want == "" {
			if len(fields)+len(warnings) > 0 {
				t.Errorf("Near of %s = %q, want none", word, warnings)
			}
			continue
		}
		written := word[strings.Index(word, "{"):]
		if all := written + " names no parameter, so it stays as it is; did you mean {" + want + "}?"; !slices.Equal(fields, []string{"run.1"}) || !slices.Equal(warnings, []string{all}) {
			t.Errorf("Near of %s = %q %q, want %q", word, fields, warnings, all)
		}
	}
}

// TestMistakeInOneCommand: a mistake disables the tool of its command; without any tool, the server fails.
func TestMistakeInOneCommand(t *testing.T) {
	var log strings.Builder
	dial := func(text string) (names []string, err error) {
		c, err := commands.Dialer{RunCommand: run}.Dial(t.Context(), "c", upstream.Config{Type: upstream.Command, Root: t.TempDir(), Commands: json.RawMessage(text)},
			upstream.Events{Log: func(_ slog.Level, text string) { log.WriteString(text + "\n") }})
		if err != nil {
			return nil, err
		}
		defer func() { _ = c.Close() }()
		tools, err := c.ListTools(t.Context())
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		return names, err
	}
	names, err := dial(`{"good": {"run": ["true"]}, "bad": {"run": []}, "worse": {"run": 7}}`)
	if err != nil || !slices.Equal(names, []string{"good"}) || !strings.Contains(log.String(), "commands.bad.run: names no program") || !strings.Contains(log.String(), "commands.worse: json: cannot") {
		t.Errorf("the tools are %q, %v; the log is %s", names, err, &log)
	}
	if _, err := dial(`{"bad": {"run": []}}`); toolscript.KindOf(err) != toolscript.Invalid {
		t.Errorf("a server without a tool: %v", err)
	}
}

// nothing is a Confiner that cannot confine on this machine.
type nothing struct{}

func (nothing) Lacks(upstream.Confine) string { return "files: this is another system" }

func (nothing) Start(p upstream.Confined) (upstream.Start, error) {
	return upstream.Start{Args: p.Args, Env: p.Env, End: func() {}}, nil
}

// TestNotConfined: a server whose programs cannot be confined says so; without a Confiner it does not start.
func TestNotConfined(t *testing.T) {
	cfg := upstream.Config{Type: upstream.Command, Root: t.TempDir(), Confine: &upstream.Confine{}, Commands: json.RawMessage(`{"tool": {"run": ["true"]}}`)}
	var logged []string
	c, err := commands.Dialer{RunCommand: run, Confiner: nothing{}}.Dial(t.Context(), "programs", cfg, upstream.Events{Log: func(level slog.Level, text string) {
		logged = append(logged, level.String()+" "+text)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	const want = "The programs of this server are not confined as configured: files: this is another system"
	if c.Info().Instructions != want || len(logged) != 1 || logged[0] != "WARN "+want {
		t.Errorf("instructions %q, logged %q", c.Info().Instructions, logged)
	}
	if _, err := (commands.Dialer{RunCommand: run}).Dial(t.Context(), "programs", cfg, upstream.Events{}); toolscript.KindOf(err) != toolscript.Unsupported {
		t.Errorf("without a Confiner: %v", err)
	}
}

// call calls a tool that runs a real program.
func call(t *testing.T, definition, args string) (string, error) {
	t.Helper()
	return callWith(t, upstream.Config{}, definition, args)
}

// callWith is like call, with a configuration of the server.
func callWith(t *testing.T, cfg upstream.Config, definition, args string) (string, error) {
	t.Helper()
	cfg.Type, cfg.Root, cfg.Commands = upstream.Command, t.TempDir(), json.RawMessage(`{"tool":`+definition+`}`)
	d := commands.Dialer{RunCommand: run, Confiner: wrapping{}}
	c, err := d.Dial(t.Context(), "programs", cfg, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	return answers.Of(t, c, "tool", args)
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct{ name, definition, args, want string }{
		{"text", `{"run": ["printf", "%s|", "{a}"], "parameters": {"a": {"type": "array"}}}`, `{"a": ["x y", "$HOME"]}`, `"structuredContent":"x y|$HOME|"`},
		{"json", `{"run": ["printf", "%s", "{a}"], "parameters": {"a": "x"}, "output": "json"}`, `{"a": "{\"b\": [1]}"}`, `"structuredContent":{"b":[1]}`},
		{"lines", `{"run": ["printf", "1\n\n{\"a\":2}\n"], "output": "jsonLines"}`, `{}`, `"structuredContent":[1,{"a":2}]`},
		{"no lines", `{"run": ["true"], "output": "jsonLines"}`, `{}`, `"structuredContent":[]`},
		{"not JSON", `{"run": ["echo", "no"], "output": "json"}`, `{}`, `the output of echo is not JSON: \"no\\n\"`},
		{"exit code", `{"run": ["sh", "-c", "echo out; echo why >&2; exit 3"]}`, `{}`, `sh ended with exit code 3: why`},
		{"exit code without stderr", `{"run": ["sh", "-c", "echo out; exit 3"]}`, `{}`, `sh ended with exit code 3: out`},
		{"other exit code", `{"run": ["sh", "-c", "echo none; exit 1"], "exitCodes": [0, 1]}`, `{}`, `"structuredContent":"none\n"`},
		{"nothing as JSON", `{"run": ["true"], "output": "json"}`, `{}`, `"structuredContent":null`},
		{"a line end as JSON", `{"run": ["echo"], "output": "json"}`, `{}`, `"structuredContent":null`},
		{"JSON after a mark", `{"run": ["printf", "\\357\\273\\277{\"a\":1}"], "output": "json"}`, `{}`, `"structuredContent":{"a":1}`},
		{"lines after a mark", `{"run": ["printf", "\\357\\273\\2771\n2\n"], "output": "jsonLines"}`, `{}`, `"structuredContent":[1,2]`},
		{"a mark as JSON", `{"run": ["printf", "\\357\\273\\277"], "output": "json"}`, `{}`, `"structuredContent":null`},
		{"process", `{"run": ["sh", "-c", "echo out; echo why >&2; exit 1"], "exitCodes": [0, 1], "output": "process"}`, `{}`, `"structuredContent":{"exitCode":1,"stdout":"out\n","stderr":"why\n"}`},
		{"stdin", `{"run": ["cat", "-"], "parameters": {"a": "x"}, "stdin": "a"}`, `{"a": "-é\n"}`, `"structuredContent":"-é\n"`},
		{"absent stdin", `{"run": ["cat"], "parameters": {"a": {"optional": true}}, "stdin": "a"}`, `{}`, `"structuredContent":""`},
		{"stdin that nobody reads", `{"run": ["true"], "parameters": {"a": "x"}, "stdin": "a"}`, `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, `"structuredContent":""`},
		{"long stdin", `{"run": ["wc", "-c"], "parameters": {"a": "x"}, "stdin": "a"}`, `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, `1048576`},
		{"long argument", `{"run": ["echo", "{a}"], "parameters": {"a": "x"}}`, `{"a": "` + strings.Repeat("x", 4<<20) + `"}`, `its arguments are longer than the system takes (on Linux 128 KB each, and 2 MB together with the variables); a command whose "stdin" names a parameter gets its value on standard input`},
		{"no stdin", `{"run": ["cat"]}`, `{}`, `"structuredContent":""`},
		{"large", `{"run": ["head", "-c", "9000000", "/dev/zero"]}`, `{}`, "the output of head has more than 8 MB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := call(t, c.definition, c.args)
			if err != nil {
				result = err.Error()
			}
			if !strings.Contains(result, c.want) {
				t.Errorf("got %.300s, want %s", result, c.want)
			}
		})
	}
	if _, err := call(t, `{"run": ["no-such-program-here"]}`, `{}`); err == nil || !strings.Contains(err.Error(), "no-such-program-here") {
		t.Errorf("error %v, want one that names the program", err)
	}
	if _, err := call(t, `{"run": ["sleep", "60"], "timeout": 100}`, `{}`); err == nil || !strings.Contains(err.Error(), "did not end within 100ms") {
		t.Errorf("error %v, want one about the time limit", err)
	}
}

// wrapping is a Confiner that starts programs by another program.
type wrapping struct{ nothing }

func (wrapping) Start(p upstream.Confined) (upstream.Start, error) {
	return upstream.Start{Args: append([]string{"/usr/bin/env"}, p.Args...), Env: p.Env, End: func() {}}, nil
}

// TestNotStarted: if a program could not be started, the error says so and names the program.
func TestNotStarted(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "text"), []byte("\x00\x01 no program"), 0o700); err != nil { //nolint:gosec // it must be executable
		t.Fatal(err)
	}
	long := `{"a": "` + strings.Repeat("x", 4<<20) + `"}`
	for _, c := range []struct {
		name, run, args string
		confine         *upstream.Confine
		sent            toolscript.Sent
		want            string
	}{
		{"a long argument", `"echo", "{a}"`, long, nil, toolscript.SentNo, `cannot start "echo": its arguments are longer`},
		{"a long argument, confined", `"echo", "{a}"`, long, &upstream.Confine{}, toolscript.SentNo, `cannot start "echo": its arguments are longer`},
		{"no program", `"no-such-program-here", "{a}"`, `{"a": "b"}`, nil, toolscript.SentNo, `cannot start "no-such-program-here": there is no such program`},
		{"no program, confined", `"no-such-program-here", "{a}"`, `{"a": "b"}`, &upstream.Confine{}, toolscript.SentNo, `cannot start "no-such-program-here": there is no such program`},
		{"a file that is no program", `"` + filepath.Join(folder, "text") + `", "{a}"`, `{"a": "b"}`, nil, toolscript.SentNo, `exec format error`},
		{"a folder", `"` + folder + `", "{a}"`, `{"a": "b"}`, nil, toolscript.SentNo, `cannot start`},
		{"a time limit", `"sleep", "60", "{a}"`, `{"a": "1"}`, nil, toolscript.SentUnknown, "did not end within 100ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			limit := `"1h"`
			if c.sent == toolscript.SentUnknown {
				limit = `100`
			}
			_, err := callWith(t, upstream.Config{Confine: c.confine}, `{"run": [`+c.run+`], "parameters": {"a": "x"}, "timeout": `+limit+`}`, c.args)
			if toolscript.SentOf(err) != c.sent || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "/usr/bin/env") {
				t.Errorf("%.300s, sent %q; want %s, sent %s", err, toolscript.SentOf(err), c.want, c.sent)
			}
		})
	}
}

// TestErrorsHaveNoSecrets: if a program prints its credentials, the error hides them, even where it
// cuts the output.
func TestErrorsHaveNoSecrets(t *testing.T) {
	cfg := upstream.Config{Env: map[string]string{"TOKEN": "sesame-open-1234"}}
	for _, definition := range []string{
		`{"run": ["sh", "-c", "echo \"$TOKEN\" >&2; exit 3"]}`,
		`{"run": ["sh", "-c", "echo \"$TOKEN\"; exit 3"]}`,
		`{"run": ["sh", "-c", "printf '%sxx' \"$TOKEN\" >&2; head -c 1995 /dev/zero | tr '\\0' x >&2; exit 3"]}`,
		`{"run": ["sh", "-c", "echo \"$TOKEN\""], "output": "json"}`,
		`{"run": ["sh", "-c", "head -c 190 /dev/zero | tr '\\0' x; echo \"$TOKEN\""], "output": "jsonLines"}`,
	} {
		result, err := callWith(t, cfg, definition, `{}`)
		if err != nil {
			result = err.Error()
		}
		if strings.Contains(result, "1234") || strings.Contains(result, "sesame") || !strings.Contains(result, "sh") {
			t.Errorf("%s: %.300s", definition, result)
		}
	}
}
