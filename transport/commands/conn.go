package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Dialer opens servers whose tools are commands.
type Dialer upstream.Host

// Dial makes a tool of each command of cfg.Commands. No program starts before a call. The error is a
// *toolscript.Error: Unsupported if this process cannot run or confine commands, else Invalid.
func (d Dialer) Dial(_ context.Context, name string, cfg upstream.Config, on upstream.Events) (*upstream.Conn, error) {
	if d.RunCommand == nil {
		return nil, &toolscript.Error{Kind: toolscript.Unsupported, Server: name, Err: errors.New("this program cannot run commands")}
	}
	if cfg.Confine != nil && d.Confiner == nil {
		return nil, &toolscript.Error{Kind: toolscript.Unsupported, Server: name, Err: errors.New("this program cannot confine commands")}
	}
	definitions, err := Parse(cfg.Commands)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: err}
	}
	s := &server{dialer: d, cfg: cfg, redact: upstream.NewRedactor(cfg), env: mcpclient.Environment(os.Environ(), cfg)}
	tools := &upstream.List{}
	var left []string // mistakes in definitions; each disables only its own tool
	for _, tool := range sorted(definitions) {
		if field, problem := definitions[tool].Check(); problem != "" {
			left = append(left, strings.TrimSuffix("commands."+tool+"."+field, ".")+": "+problem)
			continue
		}
		tools.Add(s.tool(tool, definitions[tool]))
	}
	if len(left) > 0 && len(left) == len(definitions) {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: errors.New(strings.Join(left, "; "))}
	}
	unconfined := d.unconfined(cfg.Confine)
	s.conn = upstream.New(upstream.Options{
		Name: name, Info: upstream.Info{Title: "Commands", Version: toolscript.Version, Instructions: unconfined},
		Tools: tools, Qualified: true, Events: on, Answers: d.Answers, Redact: s.redact,
	})
	for _, problem := range left {
		s.conn.Log(slog.LevelWarn, "there is no tool for a command with a mistake: "+problem)
	}
	if unconfined != "" {
		s.conn.Log(slog.LevelWarn, unconfined)
	}
	if err := FindPrograms(os.Environ(), cfg); err != nil {
		s.conn.Log(slog.LevelWarn, "calls of these tools fail: "+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return s.conn, nil
}

// unconfined returns a warning if the programs lack a protection on this machine, or "".
func (d Dialer) unconfined(c *upstream.Confine) string {
	if c != nil {
		if lacks := d.Confiner.Lacks(*c); lacks != "" {
			return "The programs of this server are not confined as configured: " + lacks
		}
		return ""
	}
	for _, part := range d.Confinement {
		if !part.Active {
			return fmt.Sprintf("The programs of this server are not confined on this machine (%s): they can do what the user can.", part.Detail)
		}
	}
	return ""
}

// server runs the programs of one server.
type server struct {
	dialer Dialer
	conn   *upstream.Conn
	cfg    upstream.Config
	env    []string
	redact upstream.Redactor
}

func (s *server) tool(name string, d Definition) upstream.Tool {
	no := false
	t := toolscript.Tool{Name: name, Description: d.Description, InputSchema: d.inputSchema(), OutputSchema: d.outputSchema()}
	if d.ReadOnly {
		yes := true
		t.Annotations.ReadOnly, t.Annotations.Destructive = &yes, &no
	}
	return upstream.Tool{Tool: t, Run: func(ctx context.Context, _ string, args json.RawMessage) (any, error) {
		return s.run(ctx, d, args)
	}}
}

// inputSchema returns the schema of the parameters, which are the members of one object.
func (d Definition) inputSchema() json.RawMessage {
	properties, required := map[string]json.RawMessage{}, []string{}
	for _, name := range sorted(d.Parameters) {
		properties[name] = d.Parameters[name].Schema
		if d.Parameters[name].required() {
			required = append(required, name)
		}
	}
	text, _ := toolscript.PlainJSON(map[string]any{ // the schemas are valid JSON
		"type": "object", "additionalProperties": false, "properties": properties, "required": required,
	})
	return text
}

// outputSchema returns the schema of the result, or nil if it is unknown.
func (d Definition) outputSchema() json.RawMessage {
	switch {
	case len(d.Result) > 0:
		return d.Result
	case d.Output == "" || d.Output == OutputText:
		return json.RawMessage(`{"type":"string"}`)
	case d.Output == OutputLines:
		return json.RawMessage(`{"type":"array"}`)
	case d.Output == OutputProcess:
		return json.RawMessage(`{"type":"object","required":["exitCode","stdout","stderr"],"properties":{"exitCode":{"type":"integer"},"stdout":{"type":"string"},"stderr":{"type":"string"}}}`)
	default:
		return nil
	}
}

// run runs the program of one call. An exit code that does not mean success is an error
// that contains the end of stderr.
func (s *server) run(ctx context.Context, d Definition, args json.RawMessage) (any, error) {
	words, stdin, err := d.Arguments(args)
	if err != nil {
		return nil, err
	}
	c := upstream.Program{
		Args: words, Project: s.cfg.Project, Root: s.cfg.Root, Dir: s.cfg.Root, Env: s.env,
		Network: s.cfg.Settings.Exec.Network, Writable: s.cfg.Settings.Exec.Writable, MaxOutput: maxOutput,
		Timeout: time.Duration(d.Timeout), Stdin: stdin, Room: func(n int) error { return budget.Take(ctx, n) },
	}
	r, err := s.start(ctx, c, d)
	switch {
	case toolscript.KindOf(err) == toolscript.TooLarge:
		return nil, &toolscript.Error{Kind: toolscript.TooLarge, Sent: toolscript.SentNo, Err: fmt.Errorf("%s; a command whose \"stdin\" names a parameter gets its value on standard input, without that limit", err.Error())}
	case err != nil:
		return nil, err
	case r.TimedOut:
		return nil, &toolscript.Error{Kind: toolscript.Timeout, Err: fmt.Errorf("%s did not end within %s, its \"timeout\"; it and all that it has started were ended", words[0], c.Timeout)}
	case !d.succeeded(r.ExitCode):
		return nil, fmt.Errorf("%s ended with exit code %d%s", words[0], r.ExitCode, s.excerpt(r))
	case len(r.Stdout) > maxOutput:
		return nil, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the output of %s has more than %d MB", words[0], maxOutput>>20)}
	}
	if d.Output == OutputProcess {
		return process{r.ExitCode, r.Stdout, r.Stderr}, nil
	}
	return d.decode(words[0], r.Stdout, s.redact.Text)
}

// process is the result of OutputProcess.
type process struct {
	ExitCode int    `json:"exitCode"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
}

// start runs a program, confined if the configuration says so.
func (s *server) start(ctx context.Context, c upstream.Program, d Definition) (upstream.ProgramResult, error) {
	if s.cfg.Confine == nil {
		r, err := s.dialer.RunCommand(ctx, c)
		return r, notStarted(err)
	}
	program := c.Args[0]
	process, err := s.cfg.Confined(c.Args, d.fixed(), c.Env, c.Dir, func(level slog.Level, format string, args ...any) {
		s.conn.Log(level, fmt.Sprintf(format, args...))
	})
	if err != nil {
		return upstream.ProgramResult{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("cannot start %q: there is no such program", program)}
	}
	started, err := s.dialer.Confiner.Start(process)
	if err != nil {
		return upstream.ProgramResult{}, toolscript.WithSent(err, toolscript.SentNo)
	}
	defer started.End()
	defer started.CloseFiles()
	c.Args, c.Env, c.Files, c.Confined = started.Args, started.Env, started.Files, true
	r, err := s.dialer.RunCommand(ctx, c)
	var known *toolscript.Error
	if wrapper := strconv.Quote(c.Args[0]); errors.As(err, &known) && strings.Contains(err.Error(), wrapper) { // the program that confines this one
		err = &toolscript.Error{Kind: known.Kind, Err: errors.New(strings.ReplaceAll(known.Err.Error(), wrapper, strconv.Quote(program)))}
	}
	return r, notStarted(err)
}

// notStarted marks the error of a run as not sent, because the program was not started,
// unless the call ended before or the error does not tell.
func notStarted(err error) error {
	switch toolscript.KindOf(err) {
	case toolscript.Cancelled, toolscript.Timeout, toolscript.Busy:
		return err
	default:
		var known *toolscript.Error
		if !errors.As(err, &known) {
			return err // the program may have been started
		}
		return toolscript.WithSent(err, toolscript.SentNo)
	}
}

// maxOutput is the maximum size of a program's output, in bytes.
const maxOutput = 8 << 20

// excerpt returns the end of stderr, else of stdout, for the error of a failed program.
func (s *server) excerpt(r upstream.ProgramResult) string {
	const most = 2000
	text := strings.TrimSpace(r.Stderr)
	if text == "" {
		text = strings.TrimSpace(r.Stdout)
	}
	text = s.redact.Text(text)
	if text == "" {
		return ""
	}
	if len(text) > most {
		text = "…" + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return ": " + text
}

// decode converts a program's output to the result. shown removes secrets from what an error shows.
func (d Definition) decode(program, out string, shown func(string) string) (any, error) {
	if d.Output == OutputJSON || d.Output == OutputLines {
		out = string(rawjson.TrimMark([]byte(out)))
	}
	switch d.Output {
	case OutputJSON:
		if strings.TrimSpace(out) == "" { // many programs print nothing after a change
			return json.RawMessage("null"), nil
		}
		if !json.Valid([]byte(out)) {
			return nil, fmt.Errorf("the output of %s is not JSON: %.200q", program, shown(out))
		}
		return json.RawMessage(out), nil
	case OutputLines:
		values := []json.RawMessage{}
		for line := range strings.Lines(out) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if !json.Valid([]byte(line)) {
				return nil, fmt.Errorf("a line of the output of %s is not JSON: %.200q", program, shown(line))
			}
			values = append(values, json.RawMessage(line))
		}
		return values, nil
	default:
		return out, nil
	}
}

func (d Definition) succeeded(code int) bool {
	if len(d.ExitCodes) == 0 {
		return code == 0
	}
	return slices.Contains(d.ExitCodes, code)
}
