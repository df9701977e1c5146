//go:build unix

package command_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/test/fixture/race"
)

var runner = command.Runner{Env: []string{race.Env}}

// spec returns a Spec of a run in a new root.
func spec(t *testing.T, args ...string) command.Spec {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return command.Spec{Args: args, Root: root, Env: []string{"PATH=" + os.Getenv("PATH"), race.Env}}
}

func run(t *testing.T, s command.Spec) command.Result {
	t.Helper()
	result, err := runner.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestResult(t *testing.T) {
	got := run(t, spec(t, "sh", "-c", "echo out; echo err >&2; exit 3"))
	if got.ExitCode != 3 || got.Stdout != "out\n" || got.Stderr != "err\n" || got.TimedOut || got.Duration <= 0 {
		t.Errorf("the result is %+v", got)
	}
	if got.Aggregated != "out\nerr\n" && got.Aggregated != "err\nout\n" {
		t.Errorf("the output of both is %q", got.Aggregated)
	}
	if got := run(t, spec(t, "sh", "-c", "kill -TERM $$")); got.ExitCode != 128+15 {
		t.Errorf("after SIGTERM the exit code is %d", got.ExitCode)
	}
}

func TestNoShell(t *testing.T) {
	if got := run(t, spec(t, "echo", "$HOME", "; exit 4", "*")); got.Stdout != "$HOME ; exit 4 *\n" || got.ExitCode != 0 {
		t.Errorf("the result is %+v", got)
	}
}

// TestEnvironment checks that the program has exactly the variables of the Spec, and a temporary
// folder that is deleted afterwards.
func TestEnvironment(t *testing.T) {
	t.Setenv("TOOLSCRIPT_GATEWAY_URL", "secret")
	s := spec(t, "sh", "-c", `echo "$A,$TOOLSCRIPT_GATEWAY_URL"; pwd; echo x > "$TMPDIR/x" && echo "$TMPDIR"`)
	s.Env = append(s.Env, "A=1", "TMPDIR=/elsewhere")
	s.Dir = filepath.Join(s.Root, "sub")
	if err := os.Mkdir(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	got := run(t, s)
	lines := strings.Split(got.Stdout, "\n")
	if len(lines) != 4 || lines[0] != "1," || lines[1] != s.Dir || !filepath.IsAbs(lines[2]) {
		t.Fatalf("the result is %+v", got)
	}
	if _, err := os.Stat(lines[2]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary folder %s is left: %v", lines[2], err)
	}
}

func TestProgramsThatDoNotStart(t *testing.T) {
	plain := spec(t, "./plain")
	if err := os.WriteFile(filepath.Join(plain.Root, "plain"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := spec(t, "true")
	elsewhere.Dir = filepath.Join(elsewhere.Root, "missing")
	for name, test := range map[string]struct {
		spec command.Spec
		want toolscript.Kind
	}{
		"no such program":     {spec(t, "no-such-program-0"), toolscript.NotFound},
		"not executable":      {plain, toolscript.Forbidden},
		"no such folder":      {elsewhere, toolscript.Invalid},
		"no command":          {spec(t), toolscript.Invalid},
		"an empty command":    {spec(t, ""), toolscript.Invalid},
		"PATH is not set":     {command.Spec{Args: []string{"true"}, Root: plain.Root}, toolscript.NotFound},
		"a path that is gone": {spec(t, "/no/such/program"), toolscript.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := runner.Run(t.Context(), test.spec)
			if toolscript.KindOf(err) != test.want {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestTimeLimit(t *testing.T) {
	s := spec(t, "sleep", "1000")
	s.Timeout = 20 * time.Millisecond
	if got := run(t, s); !got.TimedOut || got.ExitCode != command.TimedOutCode {
		t.Errorf("the result is %+v", got)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err := runner.Run(ctx, spec(t, "sleep", "1000"))
	if toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("the error is %v", err)
	}
}

// TestOutputWithoutRoom: a program gets SIGPIPE if there is no memory for its output.
func TestOutputWithoutRoom(t *testing.T) {
	s := spec(t, "sh", "-c", "yes; exit $?")
	s.Room = func(int) error { return errors.New("full") }
	if got := run(t, s); got.ExitCode != 128+13 || len(got.Stdout) > 64<<10 {
		t.Errorf("%d bytes, and exit code %d", len(got.Stdout), got.ExitCode)
	}
}

// TestOutputIsBounded checks the output that is kept of a program that writes 100 MB.
func TestOutputIsBounded(t *testing.T) {
	s := spec(t, "sh", "-c", "echo begin; head -c 100000000 /dev/zero; echo end")
	s.MaxOutput = 1000
	got := run(t, s)
	for name, text := range map[string]string{"stdout": got.Stdout, "both": got.Aggregated} {
		if !strings.HasPrefix(text, "begin\n") || !strings.HasSuffix(text, "end\n") || len(text) > 1100 || !strings.Contains(text, "[99999010 bytes omitted]") {
			t.Errorf("%s has %d bytes: %.20q … %.40q", name, len(text), text, text[max(0, len(text)-40):])
		}
	}
}
