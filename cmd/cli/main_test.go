package cli_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/internal/proc"
	runnercommand "github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/engine"
	"github.com/toolscript/toolscript/test/fixture/race"
	"github.com/toolscript/toolscript/test/kit"
)

// TestMain makes the test binary act as each program that toolscript starts from its own path:
// a script worker, the reaper, the helper of a command, the demo server, or a gateway.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{worker.Command, proc.Command, runnercommand.Command, "mcp-demo", "gateway", "hub", "exec", "pins", "servers"}, os.Args[1]) {
		os.Exit(cli.Main())
	}
	os.Exit(runTests(m))
}

// sharedData is the data folder of all tests. With a cold cache each test would
// compile the engine, which takes seconds under the race detector.
var sharedData string

func runTests(m *testing.M) int {
	var err error
	if sharedData, err = os.MkdirTemp("", "toolscript-cli"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(sharedData) }()
	if err := engine.Link("", sharedData); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// newData returns the data folder for one test.
func newData(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	if err := engine.Link("", data); err != nil {
		t.Fatal(err)
	}
	return data
}

// world holds the home, runtime folder and working directory of one test.
type world struct {
	dir string
	env []string
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{dir: filepath.Join(base, "work")}
	for _, dir := range []string{w.dir, filepath.Join(base, "home"), filepath.Join(base, "run")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{
		"HOME=" + filepath.Join(base, "home"),
		"TOOLSCRIPT_SEARCH_SEMANTIC=off", // embedding would take the CPU from other tests
		"PATH=" + os.Getenv("PATH"),
		race.Env,
		"TOOLSCRIPT_RUNTIME_DIR=" + filepath.Join(base, "run"),
		"TOOLSCRIPT_DATA_DIR=" + sharedData,
	}
	return w
}

// demoConfig configures the demo server for the user.
const demoConfig = `{"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]}}}`

// command is a running toolscript command.
type command struct {
	stdin    io.Reader
	stdout   io.Writer
	stderr   *kit.Buffer
	terminal *os.File // replaces stderr if not nil
	signals  chan os.Signal
	exits    chan int // arguments of Exit
	code     chan int // result of Run
}

// start runs a command line until it ends or signals end it.
func (w *world) start(t *testing.T, c command, args ...string) *command {
	t.Helper()
	if c.stdin == nil {
		c.stdin = strings.NewReader("")
	}
	c.stderr = &kit.Buffer{}
	c.signals, c.exits, c.code = make(chan os.Signal, 2), make(chan int, 1), make(chan int, 1)
	var stderr io.Writer = c.stderr
	if c.terminal != nil {
		stderr = c.terminal
	}
	go func() {
		code := cli.Run(app.State{
			Args: args, Env: w.env, Dir: w.dir,
			Stdin: c.stdin, Stdout: c.stdout, Stderr: stderr,
			Signals: c.signals, Exit: func(code int) { c.exits <- code },
		})
		if pipe, is := c.stdout.(*io.PipeWriter); is {
			_ = pipe.Close() // otherwise its reader would wait for more output
		}
		c.code <- code
	}()
	return &c
}

// result is the output and exit code of a command.
type result struct {
	code           int
	stdout, stderr string
}

func (w *world) run(t *testing.T, args ...string) result {
	t.Helper()
	return w.given(t, strings.NewReader(""), args...)
}

// given runs a command with a standard input.
func (w *world) given(t *testing.T, stdin io.Reader, args ...string) result {
	t.Helper()
	var stdout kit.Buffer
	c := w.start(t, command{stdin: stdin, stdout: &stdout}, args...)
	code := <-c.code
	return result{code, stdout.String(), c.stderr.String()}
}
