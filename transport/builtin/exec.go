package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Exec is the tool exec.
var Exec = tool.Tool{
	Name:  "exec",
	Title: "Run a program",
	Description: "Run a program with arguments; there is no shell. The program can write below the root of the server and to $TMPDIR only, " +
		"and has no network unless the configuration allows it. All processes that it has started end with it. " +
		"Of a long output, the beginning and the end are returned.",
	Input: `{"type": "object", "required": ["command"], "additionalProperties": false, "properties": {
		"command": {"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "the program and its arguments"},
		"cwd": {"type": "string", "description": "the working directory, below the root of the server; default: the root"},
		"env": {"type": "object", "additionalProperties": {"type": "string"}, "description": "variables in addition to those of the server"},
		"timeoutMs": {"type": "integer", "minimum": 1, "maximum": 3600000, "default": 30000, "description": "time limit in milliseconds; the timeout of the server applies too"}}}`,
	Output: `{"type": "object", "required": ["exitCode", "stdout", "stderr", "aggregatedOutput", "timedOut", "durationMs"], "additionalProperties": false, "properties": {
		"exitCode": {"type": "integer", "description": "128 + n after signal n, 124 after the time limit"},
		"stdout": {"type": "string"},
		"stderr": {"type": "string"},
		"aggregatedOutput": {"type": "string", "description": "stdout and stderr in the order of their arrival"},
		"timedOut": {"type": "boolean"},
		"durationMs": {"type": "integer"}}}`,
	Annotations:      annotations(),
	RequiresApproval: true,
	Run:              tool.Func(run),
}

func annotations() toolscript.Annotations {
	a := tool.Changes()
	yes := true
	a.OpenWorld = &yes
	return a
}

const defaultTimeout = 30 * time.Second

type execArguments struct {
	Command   []string          `json:"command"`
	Cwd       string            `json:"cwd"`
	Env       map[string]string `json:"env"`
	TimeoutMs int64             `json:"timeoutMs"`
}

type execResult struct {
	ExitCode   int    `json:"exitCode"`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	Aggregated string `json:"aggregatedOutput"`
	TimedOut   bool   `json:"timedOut"`
	DurationMs int64  `json:"durationMs"`
}

func run(ctx context.Context, w *tool.Workspace, args execArguments) (execResult, error) {
	if w.RunCommand == nil {
		return execResult{}, errors.New("this program cannot run commands")
	}
	dir, err := folder(w, args.Cwd)
	if err != nil {
		return execResult{}, err
	}
	env, err := environment(w.Env, args.Env)
	if err != nil {
		return execResult{}, err
	}
	c := upstream.Program{
		Args: args.Command, Project: w.Project, Root: w.Dir, Dir: dir, Env: env,
		Network: w.Settings.Exec.Network, Writable: w.Settings.Exec.Writable,
		Timeout: defaultTimeout, Room: func(n int) error { return budget.Take(ctx, n) },
	}
	if args.TimeoutMs > 0 {
		c.Timeout = time.Duration(args.TimeoutMs) * time.Millisecond
	}
	if slices.ContainsFunc(args.Command, hasNUL) {
		return execResult{}, errors.New("the command contains a NUL byte")
	}
	r, err := w.RunCommand(ctx, c)
	if err != nil {
		return execResult{}, err
	}
	return execResult{r.ExitCode, r.Stdout, r.Stderr, r.Aggregated, r.TimedOut, r.Duration.Milliseconds()}, nil
}

// folder returns the absolute path of a working directory below the root.
func folder(w *tool.Workspace, cwd string) (string, error) {
	if cwd == "" {
		return w.Dir, nil
	}
	path, err := w.Path(cwd, "")
	if err != nil {
		return "", err
	}
	info, err := w.Root.Stat(path)
	if err != nil {
		return "", tool.Explain(path, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", tool.Quote(path))
	}
	return filepath.Join(w.Dir, path), nil
}

// ownPrefix is the prefix of toolscript's own variables, which a call must not set.
const ownPrefix = "TOOLSCRIPT_"

// environment returns the environment of a program: the environment of the server,
// overridden by the variables of a call.
func environment(base []string, more map[string]string) ([]string, error) {
	all := map[string]string{}
	for _, entry := range base {
		name, value, _ := strings.Cut(entry, "=")
		all[name] = value
	}
	for name, value := range more {
		if name == "" || strings.ContainsAny(name, "=") || hasNUL(name) || hasNUL(value) {
			return nil, fmt.Errorf("%q is not a variable", name)
		}
		if strings.HasPrefix(strings.ToUpper(name), ownPrefix) {
			return nil, fmt.Errorf("variables named %s… are toolscript's own", ownPrefix)
		}
		upstream.SetVariable(all, name, value)
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, name+"="+all[name])
	}
	return out, nil
}

func hasNUL(text string) bool { return strings.ContainsRune(text, 0) }
