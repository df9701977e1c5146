package workflow

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/harness/agent"
	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/kit"
)

// config requires an approval for each call that runs a program or changes files.
const config = `{
	"mcpServers": {"workspace": {"type": "builtin", "root": "../project", "tools": ["core-codex", "writeFile"]}},
	"approvals": {
		"default": "allow", "timeout": "10m",
		"rules": [{"match": ["workspace__exec", "workspace__applyPatch", "workspace__writeFile"], "action": "ask"}]
	}
}`

// Scene is a gateway with a workspace, and a person at its terminal who allows the calls that wait. The
// gateway runs in this process, because below an agent the program would show no codes at its
// terminal. All other commands run as processes of the program.
type Scene struct {
	ctx     context.Context
	program harness.Program
	root    string // root of the workspace
	end     func() error
	person  *person
	tools   []agent.Tool
	types   string
}

// Open starts a gateway. All its files are below dir, which must be empty.
func Open(ctx context.Context, bin, dir string) (*Scene, error) {
	s := &Scene{ctx: ctx, program: harness.Program{Bin: bin, Home: filepath.Join(dir, "home"), Env: []string{"TOOLSCRIPT_SEARCH_SEMANTIC=off"}}, root: filepath.Join(dir, "project")}
	for _, folder := range []string{s.program.Home, s.root, filepath.Join(s.program.Home, "run")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	if _, err := s.program.Config(".toolscript.json", config); err != nil {
		return nil, err
	}
	s.person = &person{allow: s.allow}
	if err := s.start(); err != nil {
		return nil, err
	}
	if err := s.describe(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// start starts the gateway at a terminal and waits until it listens.
func (s *Scene) start() error {
	terminal, err := kit.OpenTerminal(24, 80, s.person)
	if err != nil {
		return err
	}
	signals, code := make(chan os.Signal, 1), make(chan int, 1)
	printed, stdout := io.Pipe()
	cmd := s.program.Command(s.ctx)
	go func() {
		code <- cli.Run(app.State{
			Args: []string{"gateway", "start"}, Env: cmd.Env, Dir: cmd.Dir, Stdin: strings.NewReader(""), Stdout: stdout, Stderr: terminal.Screen,
			Signals: signals, Exit: func(int) {},
		})
		_ = stdout.Close() // closing a pipe does not fail
	}()
	s.end = func() error {
		signals <- os.Interrupt
		ended := <-code
		shown := terminal.Text()
		s.person.answering.Wait()
		if ended != 0 {
			return errors.Join(fmt.Errorf("the gateway ended with %d:\n%s", ended, shown), s.person.failed())
		}
		return s.person.failed()
	}
	lines := bufio.NewScanner(printed)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "export ") {
			go func() { _, _ = io.Copy(io.Discard, printed) }() // the rest of the output is not needed
			return nil
		}
	}
	return errors.Join(errors.New("the gateway printed no URL"), s.end())
}

// Close stops the gateway. It also returns errors of the person.
func (s *Scene) Close() error { return s.end() }

// run runs a command of the program and returns its output.
func (s *Scene) run(stdin string, args ...string) (string, error) {
	cmd := s.program.Command(s.ctx, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("toolscript %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), err
}

// describe collects what a model must know about the tools in each way of working.
func (s *Scene) describe() (err error) {
	if s.types, err = s.run("", "get-types", "workspace"); err != nil {
		return err
	}
	text, err := s.run("", "list-tools", "workspace", "--json")
	if err != nil {
		return err
	}
	var listed []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal([]byte(text), &listed); err != nil {
		return fmt.Errorf("list-tools --json: %w in %s", err, text)
	}
	for _, t := range listed {
		s.tools = append(s.tools, agent.Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
	}
	return nil
}

// allow runs the command by which the person allows a call.
func (s *Scene) allow(id, code string) error {
	_, err := s.run(code+"\n", "approvals", "allow", id)
	return err
}

// person reads the terminal of the gateway and allows each call once.
type person struct {
	allow     func(id, code string) error
	line      []byte // the last line, which has no end yet
	answering sync.WaitGroup

	mu       sync.Mutex
	approved int
	errs     []error
}

var codeShown = regexp.MustCompile(`code: ([A-Z2-7]{6}) +\(toolscript approvals allow (apr_\w+)`)

// Write receives what the terminal shows, from one goroutine.
func (p *person) Write(text []byte) (int, error) {
	p.line = append(p.line, text...)
	for {
		line, rest, ended := bytes.Cut(p.line, []byte("\n"))
		if !ended {
			return len(text), nil
		}
		p.line = rest
		p.reads(string(line))
	}
}

func (p *person) reads(line string) {
	found := codeShown.FindStringSubmatch(line)
	if found == nil {
		return
	}
	p.answering.Go(func() {
		err := p.allow(found[2], found[1])
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil {
			p.errs = append(p.errs, err)
		} else {
			p.approved++
		}
	})
}

func (p *person) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.errs...)
}

// taken returns the number of calls that were allowed since its last call.
func (p *person) taken() int {
	p.answering.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.approved
	p.approved = 0
	return n
}

// Result is the result of playing a workflow in one way.
type Result struct {
	Turns    int               // number of answers with scripts or calls
	Calls    int               // number of tool calls
	Approved int               // number of calls that the person has allowed
	Value    json.RawMessage   // value of the script
	Tree     map[string]string // mode and content of each file afterwards, by path
	Items    []json.RawMessage // items that the program printed
	Written  []string          // answers of the model
	Read     []string          // requests to the model, each with the whole conversation
}

// Script plays the answer with a script.
func (s *Scene) Script(w Workflow) (Result, error) {
	m := &recorded{answers: []json.RawMessage{message(text(w.Script))}}
	return s.play(w, m, agent.Loop{System: agent.Instructions([]string{"workspace"}) + s.types})
}

// Structured plays the answers with structured calls.
func (s *Scene) Structured(w Workflow) (Result, error) {
	m := &recorded{}
	id := 0
	for _, turn := range w.Turns {
		blocks := []any{text(turn.Text)}
		for _, c := range turn.Calls {
			id++
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": fmt.Sprintf("call_%d", id), "name": c.Tool, "input": c.Args})
		}
		m.answers = append(m.answers, message(blocks...))
	}
	return s.play(w, m, agent.Loop{Tools: s.tools})
}

func (s *Scene) play(w Workflow, m *recorded, loop agent.Loop) (Result, error) {
	if err := s.reset(w); err != nil {
		return Result{}, err
	}
	if s.Check(w) == nil {
		return Result{}, errors.New("the check succeeds before the task is done")
	}
	r := Result{Turns: len(m.answers)}
	loop.Model = m
	loop.Process = func(_ context.Context, items []json.RawMessage) ([]json.RawMessage, error) {
		list, err := json.Marshal(items)
		if err != nil {
			return nil, err
		}
		out, err := s.run(string(list), "harness", "--api", "messages")
		if err != nil {
			return nil, err
		}
		var done []json.RawMessage
		for line := range strings.Lines(out) {
			done = append(done, json.RawMessage(line))
		}
		if len(m.written) <= len(m.answers) { // the last answer contains no calls
			r.Items = append(r.Items, done...)
		}
		return done, r.count(done)
	}
	_, err := loop.Run(s.ctx, w.Task)
	r.Approved, r.Written, r.Read = s.person.taken(), m.written, m.read
	if err := errors.Join(err, s.person.failed()); err != nil {
		return r, err
	}
	if r.Tree, err = s.tree(); err != nil {
		return r, err
	}
	return r, s.Check(w)
}

// count adds the calls in items. A failed item is an error.
func (r *Result) count(items []json.RawMessage) error {
	for _, raw := range items {
		var item struct {
			Type      string            `json:"type"`
			OK        bool              `json:"ok"`
			Value     json.RawMessage   `json:"value"`
			ToolCalls []json.RawMessage `json:"toolCalls"`
			IsError   bool              `json:"is_error"`
		}
		if err := json.Unmarshal(raw, &item); err != nil {
			return fmt.Errorf("%w in %s", err, raw)
		}
		switch item.Type {
		case "ScriptToolCallOutput":
			r.Calls += len(item.ToolCalls)
			r.Value = item.Value
			item.IsError = !item.OK
		case "tool_result":
			r.Calls++
		}
		if item.IsError {
			return fmt.Errorf("it failed: %s", raw)
		}
	}
	return nil
}

// reset empties the root and writes the project of a workflow into it.
func (s *Scene) reset(w Workflow) error {
	entries, err := os.ReadDir(s.root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(s.root, e.Name())); err != nil {
			return err
		}
	}
	for name, content := range w.Project {
		file := filepath.Join(s.root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(content), 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// Check runs the check of a workflow in its current project.
func (s *Scene) Check(w Workflow) error {
	cmd := exec.CommandContext(s.ctx, "sh", "-c", w.Check)
	cmd.Dir = s.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the check %q: %w\n%s", w.Check, err, out)
	}
	return nil
}

func (s *Scene) tree() (map[string]string, error) {
	files := map[string]string{}
	return files, filepath.WalkDir(s.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, s.root+"/")] = info.Mode().String() + "\n" + string(content)
		return err
	})
}

// recorded is a model that gives recorded answers, and finally one without calls.
type recorded struct {
	answers       []json.RawMessage
	written, read []string
}

func (*recorded) API() agent.API { return agent.Messages }

func (m *recorded) Send(_ context.Context, r agent.Request) (agent.Answer, error) {
	read := map[string]any{"system": r.System, "messages": r.Items, "tools": r.Tools}
	whole, err := json.Marshal(read)
	if err != nil {
		return agent.Answer{}, err
	}
	m.read = append(m.read, string(whole))
	answer := message(text("Done."))
	if len(m.written) < len(m.answers) {
		answer = m.answers[len(m.written)]
	}
	m.written = append(m.written, string(answer))
	return agent.Answer{Items: []json.RawMessage{answer}}, nil
}

func text(t string) any { return map[string]string{"type": "text", "text": t} }

func message(blocks ...any) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"role": "assistant", "content": blocks}) // strings and JSON always have a JSON form
	return raw
}
