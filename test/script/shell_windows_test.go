package script_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// Windows has no shell of POSIX. These are one in Go, and the few programs that scripts run with it.
func init() {
	programs["sh"] = func() { os.Exit(shell(os.Args[1:])) }
	programs["cat"] = func() { os.Exit(cat(os.Args[1:])) }
	programs["printf"] = func() { os.Exit(shell(append([]string{"-c", `printf "$@"`, "printf"}, os.Args[1:]...))) }
	programs["true"] = func() { os.Exit(0) }
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
	runner, err := interp.New(interp.StdIO(os.Stdin, os.Stdout, os.Stderr), interp.ExecHandlers(inShell), interp.Params(append([]string{"--"}, rest...)...))
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

// inShell runs the programs head, rm and grep of a script in the shell.
func inShell(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		c := interp.HandlerCtx(ctx)
		switch args[0] {
		case "head":
			return status(head(c.Stdin, c.Stdout))
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

// grep is the program "grep [-o] [-q] [-c] [-v] [-E] [-F] PATTERN [FILE]".
func grep(args []string, dir string, in io.Reader, out io.Writer) uint8 {
	flags := flag.NewFlagSet("grep", flag.ContinueOnError)
	only, quiet, count, not := flags.Bool("o", false, ""), flags.Bool("q", false, ""), flags.Bool("c", false, ""), flags.Bool("v", false, "")
	fixed := flags.Bool("F", false, "")
	flags.Bool("E", false, "") // the syntax of Go
	if flags.Parse(args) != nil {
		return 2
	}
	text := flags.Arg(0)
	if *fixed {
		text = regexp.QuoteMeta(text)
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return 2
	}
	if flags.NArg() > 1 {
		text, err := os.ReadFile(filepath.Join(dir, flags.Arg(1)))
		if err != nil {
			return 2
		}
		in = bytes.NewReader(text)
	}
	found := 0
	for lines := bufio.NewScanner(in); lines.Scan(); {
		line := lines.Text()
		if pattern.MatchString(line) == *not {
			continue
		}
		found++
		switch {
		case *quiet, *count:
		case *only:
			_, _ = fmt.Fprintln(out, strings.Join(pattern.FindAllString(line, -1), "\n")) // the reader may close its end
		default:
			_, _ = fmt.Fprintln(out, line) // the same
		}
	}
	if *count {
		_, _ = fmt.Fprintln(out, found) // the same
	}
	if found == 0 {
		return 1
	}
	return 0
}

// status returns the error of a program that ends with a code.
func status(code uint8) error {
	if code == 0 {
		return nil
	}
	return interp.ExitStatus(code)
}
