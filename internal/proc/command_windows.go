package proc

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// Program returns a command that runs a program in the folder dir, or in that of this process if dir is "". The program gets
// the arguments unchanged. A batch file, such as npx.cmd, runs in cmd.exe, which interprets special characters in arguments.
// So Program quotes the arguments of a batch file. It returns an error for an argument that quotes cannot protect.
func Program(ctx context.Context, dir, path string, args []string) (*exec.Cmd, error) {
	path = ended(dir, path)
	if !isBatch(path) {
		cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // the caller decides what is run
		cmd.Dir = dir
		return cmd, nil
	}
	line, err := batchLine(path, args)
	if err != nil {
		return nil, err
	}
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return nil, fmt.Errorf("GetSystemDirectory: %w", err)
	}
	shell := filepath.Join(system, "cmd.exe")
	cmd := exec.CommandContext(ctx, shell) //nolint:gosec // the caller decides what is run
	// Without /d, a key of the registry names a command that runs first. /v:off gives no meaning
	// to exclamation marks. With /s, cmd.exe removes the outer quotes and changes nothing else.
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `"` + shell + `" /d /v:off /s /c "` + line + `"`}
	return cmd, nil
}

// ended returns a path with the ending that Windows would add, such as .cmd. A name without a folder stays as it is.
func ended(dir, path string) string {
	if filepath.Base(path) == path {
		return path
	}
	full := path
	if dir != "" {
		full = files.Absolute(dir, path)
	}
	if found, err := exec.LookPath(full); err == nil {
		return found
	}
	return path // Start explains the error
}

// isBatch reports whether Windows would run a file in cmd.exe. It ignores dots and spaces at the end of a path.
func isBatch(path string) bool {
	name := strings.ToLower(strings.TrimRight(path, ". "))
	return strings.HasSuffix(name, ".bat") || strings.HasSuffix(name, ".cmd")
}

// batchLine returns the command line of a batch file.
func batchLine(path string, args []string) (string, error) {
	var line strings.Builder
	for i, text := range append([]string{path}, args...) {
		// cmd.exe expands variables between quotes too, and ends a command at a line end.
		if at := strings.IndexAny(text, "\"%\r\n\x00"); at >= 0 {
			return "", &toolscript.Error{Kind: toolscript.Invalid, Permanent: true, Err: fmt.Errorf(
				"the argument %q of the batch file %s contains %q, which cmd.exe would interpret; name the program that the file starts, such as node with the path of its script, as the command",
				text, filepath.Base(path), text[at])}
		}
		if i > 0 {
			line.WriteByte(' ')
		}
		// The program that the batch file starts reads a backslash before a quote as an escape.
		slashes := len(text) - len(strings.TrimRight(text, `\`))
		line.WriteString(`"` + text + strings.Repeat(`\`, slashes) + `"`)
	}
	return line.String(), nil
}
