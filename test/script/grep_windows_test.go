package script_test

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// search is the work of one "grep".
type search struct {
	pattern                       *regexp.Regexp
	only, quiet, count, not, list *bool
	most                          *int
	found                         int
	out                           io.Writer
}

// grep is the program "grep [-o] [-q] [-c] [-v] [-l] [-r] [-m N] [-E] [-F] [-e] PATTERN [FILE]". Its patterns have
// the syntax of Go.
func grep(args []string, dir string, in io.Reader, out io.Writer) uint8 {
	flags := flag.NewFlagSet("grep", flag.ContinueOnError)
	s := search{out: out, only: flags.Bool("o", false, ""), quiet: flags.Bool("q", false, ""), count: flags.Bool("c", false, ""), not: flags.Bool("v", false, ""), list: flags.Bool("l", false, ""), most: flags.Int("m", 0, "")}
	fixed := flags.Bool("F", false, "")
	tree := flags.Bool("r", false, "")
	flags.Bool("E", false, "")
	if flags.Parse(separate(args)) != nil {
		return 2
	}
	text := flags.Arg(0)
	if *fixed {
		text = regexp.QuoteMeta(text)
	}
	var err error
	if s.pattern, err = regexp.Compile(text); err != nil {
		return 2
	}
	switch {
	case flags.NArg() < 2:
		s.read("", in)
	case *tree:
		err = filepath.WalkDir(filepath.Join(dir, flags.Arg(1)), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			return s.file(path)
		})
	default:
		err = s.file(filepath.Join(dir, flags.Arg(1)))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "grep:", err)
		return 2
	}
	if *s.count {
		_, _ = fmt.Fprintln(out, s.found) // the reader may close its end
	}
	if s.found == 0 {
		return 1
	}
	return 0
}

// separate splits flags such as -rlF and -m1. -e ends them.
func separate(args []string) (all []string) {
	for i, arg := range args {
		if len(arg) < 2 || arg[0] != '-' {
			return append(all, args[i:]...)
		}
		if arg == "-e" {
			return append(append(all, "--"), args[i+1:]...)
		}
		if number, is := strings.CutPrefix(arg, "-m"); is {
			all = append(all, "-m="+number)
			continue
		}
		for _, letter := range arg[1:] {
			all = append(all, "-"+string(letter))
		}
	}
	return all
}

func (s *search) file(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	s.read(path, file)
	return file.Close()
}

// read prints the lines that match.
func (s *search) read(name string, in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for here := 0; lines.Scan() && (*s.most == 0 || here < *s.most); {
		line := lines.Text()
		if s.pattern.MatchString(line) == *s.not {
			continue
		}
		here++
		s.found++
		switch {
		case *s.quiet, *s.count:
		case *s.list:
			_, _ = fmt.Fprintln(s.out, name) // the reader may close its end
			return
		case *s.only:
			_, _ = fmt.Fprintln(s.out, strings.Join(s.pattern.FindAllString(line, -1), "\n")) // the same
		default:
			_, _ = fmt.Fprintln(s.out, line) // the same
		}
	}
}
