package workspace

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// FindRipgrep returns the path of ripgrep, or "" if it is not in PATH.
func FindRipgrep() string {
	found, err := exec.LookPath("rg")
	if err != nil {
		return ""
	}
	return found
}

// maxListed is the maximum length of ripgrep's output, in bytes.
const maxListed = 64 << 20

// arguments returns the arguments with which ripgrep searches as this package does: text of any
// encoding as it is, only ignore files below the folder, and without the user's settings.
func (s Search) arguments() []string {
	return []string{
		"--no-config", "--files-with-matches", "--null", "--no-messages", "--color=never", "--text", "--encoding=none",
		"--no-ignore-exclude", "--no-ignore-global", "--no-ignore-parent", "--no-require-git", "--no-follow",
		"--max-filesize=" + strconv.Itoa(maxFile), "--case-sensitive", "--no-crlf", "--no-multiline", "--no-pcre2",
		"--regexp=" + s.Pattern.rust, "--", ".",
	}
}

// candidates returns the files that ripgrep finds below the folder, as paths of the
// workspace. They include all files that match. ok is false if ripgrep fails.
func (s Search) candidates(ctx context.Context, w *tool.Workspace) (names []string, ok bool, err error) {
	if _, err := w.ReadDir(s.Dir); err != nil { // through the workspace: the folder may be a link that leads out
		return nil, false, err
	}
	c := exec.CommandContext(ctx, s.Ripgrep, s.arguments()...) //nolint:gosec // G204: the program is the first rg of PATH, and the pattern one argument
	c.Dir = filepath.Join(w.Real(), s.Dir)
	c.Env = environment()
	out := &limited{}
	c.Stdout = out
	failed := c.Run()
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	if code := c.ProcessState.ExitCode(); failed != nil && code != 1 || out.full { // 1: nothing was found
		return nil, false, nil
	}
	dir := filepath.ToSlash(s.Dir)
	for name := range strings.SplitSeq(out.text.String(), "\x00") {
		if name != "" {
			names = append(names, path.Join(dir, filepath.ToSlash(name)))
		}
	}
	return names, true, nil
}

// environment returns the variables that a program needs to start on this system.
func environment() []string {
	if runtime.GOOS == "windows" {
		return []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	}
	return []string{}
}

// limited is a buffer that keeps at most maxListed bytes of a program's output.
type limited struct {
	text bytes.Buffer
	full bool
}

// Write implements io.Writer. It never fails, so that the program does not end early.
func (l *limited) Write(p []byte) (int, error) {
	if l.text.Len()+len(p) > maxListed {
		l.full = true
		return len(p), nil
	}
	return l.text.Write(p)
}
