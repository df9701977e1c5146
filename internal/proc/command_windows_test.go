package proc_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/proc"
)

// printArguments is an environment variable. If it is set, the test binary prints its arguments.
const printArguments = "PRINT_ARGUMENTS"

func init() {
	if os.Getenv(printArguments) != "" {
		_, _ = os.Stdout.WriteString(strings.Join(os.Args[1:], "\n")) // after an error, the test misses arguments
		os.Exit(0)
	}
}

// batchFile returns the path of a batch file that starts this test binary in the way in which npx.cmd starts
// node. The name of its folder contains a space.
func batchFile(t *testing.T, name string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "batch files")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte("@ECHO off\r\nSETLOCAL\r\n\""+os.Args[0]+"\" %*\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = os.Remove(path), os.Remove(folder) })
	return path
}

// TestBatchArguments passes arguments with characters that cmd.exe interprets to a batch file. Each argument
// must arrive unchanged, and the commands in the arguments must not run.
func TestBatchArguments(t *testing.T) {
	path := batchFile(t, "program.cmd")
	folder := filepath.Dir(path)
	evil := filepath.Join(folder, "evil")
	for _, arg := range []string{
		"plain", "two words", "", "-y", "@scope/name@^1.2.3", `C:\Program Files\x\`, `\\host\share\`, "a'b", "é€", "!PATH!",
		"& echo > " + evil, "| echo > " + evil, "x>" + evil, "^& echo > " + evil, "a&&echo>" + evil, "(a)", "a,b;c=d", "^", "~", "*", "?",
	} {
		args := []string{"first", arg, "last"}
		cmd, err := proc.Program(t.Context(), "", path, args)
		if err != nil {
			t.Errorf("%q: %v", arg, err)
			continue
		}
		cmd.Env = append(os.Environ(), printArguments+"=1")
		out, err := cmd.CombinedOutput()
		if got := strings.Split(string(out), "\n"); err != nil || !slices.Equal(got, args) {
			t.Errorf("%q arrived as %q, %v", args, got, err)
		}
		if _, err := os.Stat(evil); err == nil {
			t.Errorf("%q ran a command", arg)
			_ = os.Remove(evil) // before the next argument
		}
	}
}

// TestBatchArgumentsRefused checks that an argument that quotes do not protect is an error.
func TestBatchArgumentsRefused(t *testing.T) {
	for _, path := range []string{`C:\x\npx.cmd`, `C:\x\NPX.CMD`, `C:\x\a.bat`, `C:\x\a.bat.`, `C:\x\a.bat . `} {
		for _, arg := range []string{`" & calc & "`, `a"b`, "%PATH%", "%CMDCMDLINE:~-1%", "100%", "a\nb", "a\r\ncalc", "a\x00b"} {
			if cmd, err := proc.Program(context.Background(), "", path, []string{arg}); err == nil {
				t.Errorf("%s %q: no error, but %q", path, arg, cmd.SysProcAttr.CmdLine)
			}
		}
	}
	if _, err := proc.Program(context.Background(), "", `C:\x\%TEMP%\a.cmd`, nil); err == nil {
		t.Error("a path with a variable: no error")
	}
	if cmd, err := proc.Program(context.Background(), "", `C:\x\node.exe`, []string{`a"b%c`}); err != nil || cmd.Args[1] != `a"b%c` {
		t.Errorf("a program that is no batch file: %v", err)
	}
}
