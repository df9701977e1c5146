package script_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/windows"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// Windows has no shell of POSIX. These are one in Go, and the few programs that scripts run with it.
func init() {
	programs["sh"] = func() { os.Exit(shell(os.Args[1:])) }
	programs["cat"] = func() { os.Exit(cat(os.Args[1:])) }
	programs["printf"] = func() { os.Exit(shell(append([]string{"-c", `printf "$@"`, "printf"}, os.Args[1:]...))) }
	programs["true"] = func() { os.Exit(0) }
	programs["sed"] = func() { os.Exit(sed(os.Args[1:])) }
	programs["sleep"] = func() { os.Exit(sleep(os.Args[1:])) }
	programs["kill"] = func() { os.Exit(kill(os.Args[1:])) }
	programs["cut"] = func() { os.Exit(cut(os.Args[1:])) }
	programs["touch"] = func() { os.Exit(touch(os.Args[1:])) }
}

// shell is the program "sh -c SCRIPT [NAME ARGS]" or "sh FILE".
func shell(args []string) int {
	var in io.Reader = os.Stdin
	var rest []string
	switch {
	case len(args) > 1 && args[0] == "-c":
		in = strings.NewReader(args[1])
		rest = args[min(len(args), 3):]
	case len(args) > 0:
		file, err := os.Open(args[0])
		if err != nil {
			return failed("sh", err)
		}
		in, rest = file, args[1:]
	}
	parsed, err := syntax.NewParser().Parse(in, "sh")
	if err != nil {
		return failed("sh", err)
	}
	runner, err := interp.New(interp.StdIO(os.Stdin, os.Stdout, os.Stderr), interp.CallHandler(rename), interp.ExecHandlers(inShell), interp.Params(append([]string{"--"}, rest...)...))
	if err != nil {
		return failed("sh", err)
	}
	err = runner.Run(context.Background(), parsed)
	var status interp.ExitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	if err != nil {
		return failed("sh", err)
	}
	return 0
}

func failed(program string, err error) int {
	fmt.Fprintf(os.Stderr, "%s: %v\n", program, err)
	return 2
}

// cat is the program "cat [FILE...]".
func cat(files []string) int {
	if len(files) == 0 {
		_, _ = io.Copy(os.Stdout, os.Stdin) // the reader may close its end
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return failed("cat", err)
		}
		_, _ = os.Stdout.Write(text) // the same
	}
	return 0
}

// sleep is the program "sleep SECONDS".
func sleep(args []string) int {
	seconds, err := strconv.ParseFloat(args[0], 64)
	if err != nil {
		return failed("sleep", err)
	}
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	return 0
}

// killed is the exit code that a shell reports for a process that was killed.
const killed = 137

// kill is the program "kill -9 PID".
func kill(args []string) int {
	pid, err := strconv.Atoi(strings.TrimSpace(args[len(args)-1]))
	if err != nil {
		return failed("kill", err)
	}
	process, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid))
	if err == nil {
		err = errors.Join(windows.TerminateProcess(process, killed), windows.CloseHandle(process))
	}
	if err != nil {
		return failed("kill", err)
	}
	return 0
}

// cut is the program "cut -d: -f2".
func cut(args []string) int {
	delimiter := strings.TrimPrefix(args[0], "-d")
	field, err := strconv.Atoi(strings.TrimPrefix(args[1], "-f"))
	if err != nil {
		return failed("cut", err)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if fields := strings.Split(lines.Text(), delimiter); field <= len(fields) {
			fmt.Println(fields[field-1])
		}
	}
	return 0
}

// touch is the program "touch FILE", for a file that does not exist.
func touch(args []string) int {
	file, err := os.Create(args[0])
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return failed("touch", err)
	}
	return 0
}

// rename makes kill a program: the shell reserves the name for a command that it lacks.
func rename(_ context.Context, args []string) ([]string, error) {
	if args[0] == "kill" {
		args[0] = "kill.exe"
	}
	return args, nil
}

// inShell runs the programs head, tee, wc, rm, xargs and grep of a script in the shell.
func inShell(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		c := interp.HandlerCtx(ctx)
		switch args[0] {
		case "head":
			return status(head(c.Stdin, c.Stdout))
		case "tee":
			return tee(filepath.Join(c.Dir, args[len(args)-1]), c.Stdin, c.Stdout)
		case "wc":
			return status(wc(c.Stdin, c.Stdout))
		case "xargs":
			words, err := io.ReadAll(c.Stdin)
			if err != nil {
				return err
			}
			return next(ctx, append(slices.Clone(args[1:]), strings.Fields(string(words))...))
		case "rm":
			for _, name := range args[1:] {
				_ = os.Remove(filepath.Join(c.Dir, name)) // as with -f
			}
			return nil
		case "grep":
			return status(grep(args[1:], c.Dir, c.Stdin, c.Stdout))
		}
		return next(ctx, args)
	}
}

// head is the program "head -1".
func head(in io.Reader, out io.Writer) uint8 {
	line, _ := bufio.NewReader(in).ReadString('\n')
	_, _ = io.WriteString(out, line) // the reader may close its end
	return 0
}

// tee is the program "tee -a FILE".
func tee(name string, in io.Reader, out io.Writer) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.MultiWriter(file, out), in)
	return errors.Join(err, file.Close())
}

// wc is the program "wc -l".
func wc(in io.Reader, out io.Writer) uint8 {
	lines := 0
	for reader := bufio.NewScanner(in); reader.Scan(); {
		lines++
	}
	_, _ = fmt.Fprintln(out, lines) // the reader may close its end
	return 0
}

// status returns the error of a program that ends with a code.
func status(code uint8) error {
	if code == 0 {
		return nil
	}
	return interp.ExitStatus(code)
}
