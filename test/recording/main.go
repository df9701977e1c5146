//go:build linux

// Command recording runs the built program at a terminal and draws what the terminal shows as an SVG,
// the picture in the README.
//
//	go run ./test/recording -program bin/toolscript docs/recording.svg
//
// The picture is animated with the measured times. Viewers without animation show the
// end.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/test/kit"
)

// columns is the width of the terminal.
const columns = 104

// session lists the commands of the picture, which run in the folder of the repository.
var session = []string{
	`toolscript search 'find a word in files'`,
	`toolscript exec '
  const { matches } = await tools.demo.searchText({ pattern: "^func Fuzz", glob: "*_test.go" });
  const files = new Set(matches.map((m) => m.file));
  return { tests: matches.length, files: files.size }'`,
	`toolscript exec '
  const { matches } = await tools.demo.searchText({ pattern: "^func Fuzz", glob: "*_test.go" });
  const files = new Set(matches.map((m) => m.path));
  return { tests: matches.length, files: files.size }'`,
}

func main() {
	program := flag.String("program", "bin/toolscript", "`path` of the program")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: recording [-program PATH] FILE.svg")
		os.Exit(2)
	}
	if err := record(*program, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "recording:", err)
		os.Exit(1)
	}
}

func record(program, to string) error {
	home, err := os.MkdirTemp("", "toolscript-recording-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home) //nolint:errcheck // a temporary folder
	program, err = filepath.Abs(program)
	if err != nil {
		return err
	}
	m := machine{env: []string{"HOME=" + home, "PATH=" + filepath.Dir(program) + ":/usr/bin:/bin", "TERM=xterm-256color", "LANG=C.UTF-8"}}
	for _, command := range []string{"toolscript init --demo --yes", session[0], session[2]} { // fills the caches, as in daily use
		if _, _, err := m.run(command); err != nil {
			return err
		}
	}
	var shown []scene
	for _, command := range session {
		output, took, err := m.run(command)
		if err != nil {
			return err
		}
		shown = append(shown, scene{command, lines(output, columns), took})
	}
	return os.WriteFile(to, []byte(draw(shown)), 0o644)
}

// machine holds the environment of the commands.
type machine struct{ env []string }

// run runs a shell command at a terminal, and returns its output and its duration. The command may fail.
func (m machine) run(command string) (output string, took time.Duration, err error) {
	terminal, err := kit.OpenTerminal(40, columns)
	if err != nil {
		return "", 0, err
	}
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = m.env, terminal.Screen, terminal.Screen, terminal.Screen
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	begun := time.Now()
	err = cmd.Run()
	output = terminal.Text()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		return "", 0, err
	}
	return output, time.Since(begun), nil
}

// piece is a part of a line in one colour.
type piece struct {
	column int
	text   string
	class  string // class in the style sheet; "" is the text colour
}

// classes maps the colour codes that the program uses to classes of the style sheet.
var classes = map[string]string{"31": "red", "32": "green", "33": "yellow", "36": "cyan", "2": "dim", "1": "bold"}

// lines returns the lines that a terminal of a width shows for the output of a program, which may erase
// the current line.
func lines(output string, width int) [][]piece {
	var shown [][]piece
	var line []piece
	column, class := 0, ""
	end := func() { shown, line, column = append(shown, line), nil, 0 }
	for len(output) > 0 {
		if code, rest, ok := escape(output); ok {
			output = rest
			switch {
			case strings.HasSuffix(code, "m"):
				class = classes[strings.TrimSuffix(code, "m")]
			case code == "K" && column == 0:
				line = nil
			}
			continue
		}
		r := []rune(output)[0]
		output = output[len(string(r)):]
		switch r {
		case '\r':
			column = 0
		case '\n':
			end()
		default:
			if column == width {
				end()
			}
			if n := len(line); n > 0 && line[n-1].class == class {
				line[n-1].text += string(r)
			} else {
				line = append(line, piece{column, string(r), class})
			}
			column++
		}
	}
	if line != nil {
		end()
	}
	return shown
}

// escape splits a control sequence, its parameters and last byte, from the text after it.
func escape(text string) (code, rest string, ok bool) {
	after, ok := strings.CutPrefix(text, "\x1b[")
	if !ok {
		return "", text, false
	}
	at := strings.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
	if at < 0 {
		return "", text, false
	}
	return after[:at+1], after[at+1:], true
}
