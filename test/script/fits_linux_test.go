package script_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/test/kit"
)

func init() { programs["fits"] = func() { os.Exit(fits(os.Args[1:])) } }

// fits is the program "fits [-without COLUMN,COLUMN] COMMAND [ARGS]". It runs a command that prints a
// table: for a program, and on terminals of 60, 80 and 120 columns. It fails if a line of a table is
// wider than the terminal, unless it is one word or a command to copy, and if a terminal does not show a
// long word of the table in one piece. A terminal may omit the columns after -without.
func fits(args []string) int {
	var without []string
	if args[0] == "-without" {
		without, args = strings.Split(args[1], ","), args[2:]
	}
	plain, code := output(args)
	for range 20 {
		if code != 0 {
			return code
		}
		var complaints strings.Builder
		_, before, _ := tableOf(plain, without)
		bad := fitsOnce(args, plain, without, &complaints)
		plain, code = output(args)
		if _, after, _ := tableOf(plain, without); bad == 0 || slices.Equal(before, after) {
			_, _ = os.Stderr.WriteString(complaints.String())
			return bad
		} // the table has changed meanwhile, such as the state of a server
	}
	fmt.Fprintln(os.Stderr, "fits: the table does not stop changing")
	return 1
}

// output runs a command and returns its output, and 99 if it cannot be run.
func output(args []string) (string, int) {
	plain, err := exec.Command(args[0], args[1:]...).Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "fits:", err)
		return "", 99
	}
	return string(plain), 0
}

// fitsOnce compares the output for a program with that on terminals, and returns an exit code.
func fitsOnce(args []string, plain string, without []string, complaints *strings.Builder) int {
	lines, words, commands := tableOf(plain, without)
	if len(words) == 0 {
		fmt.Fprintf(complaints, "fits: no table with a long word:\n%s", plain)
		return 1
	}
	bad := 0
	for _, columns := range []int{60, 80, 120} {
		screen, err := onTerminal(columns, args)
		if err != nil {
			fmt.Fprintln(complaints, "fits:", err)
			return 99
		}
		fmt.Print(screen) // for people who read the log
		for line := range strings.Lines(screen) {
			line = strings.TrimSuffix(line, "\n")
			if terminal.Width(line) > columns && len(strings.Fields(line)) > 1 && !slices.Contains(commands, strings.TrimSpace(line)) && !slices.Contains(lines, line) {
				fmt.Fprintf(complaints, "fits: %d columns: a line of %d: %s\n", columns, terminal.Width(line), line)
				bad++
			}
		}
		shown := strings.Fields(screen)
		for _, word := range words {
			if !slices.Contains(shown, word) {
				fmt.Fprintf(complaints, "fits: %d columns: %q is not shown in one piece\n", columns, word)
				bad++
			}
		}
	}
	return min(bad, 1)
}

// tableOf returns the lines of an output for programs that are not part of a table, the long words of
// its tables, and the commands in their last columns.
func tableOf(plain string, without []string) (others, words, commands []string) {
	const long = 10 // shorter words, such as the time that a gateway runs, may change
	var header []string
	for line := range strings.Lines(plain) {
		line = strings.TrimSuffix(line, "\n")
		cells := strings.Split(line, "\t")
		switch {
		case len(cells) == 1:
			others, header = append(others, line), nil
			continue
		case len(cells) != len(header):
			header = cells
			continue
		}
		for i, cell := range cells {
			for word := range strings.FieldsSeq(cell) {
				wide := terminal.Width(word) > utf8.RuneCountInString(word) // text in a script without spaces, which may be wrapped anywhere
				if len(word) >= long && !wide && !slices.Contains(without, header[i]) {
					words = append(words, word)
				}
			}
		}
		if last := cells[len(cells)-1]; strings.HasPrefix(last, "toolscript ") {
			commands = append(commands, last)
		}
	}
	return others, words, commands
}

// onTerminal returns what a command writes to a terminal of this width.
func onTerminal(columns int, args []string) (string, error) {
	opened, err := kit.OpenTerminal(24, columns)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout = opened.Screen // without stderr, so that no notice is drawn
	err = cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		err = nil // some commands end with another exit code after a table
	}
	return opened.Text(), err
}
