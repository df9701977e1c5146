package quickjs

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/sourcemap"
)

// source is the script's text behind the code that runs.
type source struct {
	code string // that runs
	name string // of the code, in the engine's traces
	file string // of the user's text
	text string // the source map, read when it is first needed
	maps *sourcemap.Map
	read bool
}

// plain is a file name that the engine's traces can hold and that is none of
// ours.
var plain = regexp.MustCompile(`^[^():\n\r\x00]{1,200}$`)

func newSource(job runner.Job) *source {
	s := &source{code: job.Compiled.JavaScript, name: "script.ts", file: job.File, text: job.Compiled.SourceMap}
	if s.file == "" {
		s.file = s.name
	}
	if plain.MatchString(s.file) && s.file != facade {
		s.name = s.file
	}
	return s
}

// place is where code came from, in the user's text; ok is false for code that
// the compiler added. The engine counts columns in bytes of UTF-8, all others
// count units of UTF-16.
func (s *source) place(line, column int) (l, c int, ok bool) {
	if text, ok := sourcemap.Line(s.code, line); ok && column > 0 && column <= len(text)+1 {
		column = len(utf16.Encode([]rune(text[:column-1]))) + 1
	}
	if !s.read {
		s.read = true
		s.maps, _ = sourcemap.Parse(s.text) // a bad map maps nothing, and the code's own place is shown
	}
	if s.text == "" { // the user's text is what runs
		return line, column, true
	}
	_, l, c, ok = s.maps.Lookup(line, column)
	return l, c, ok
}

// frame is one line of the engine's traces: at name (file:line:column), where
// both parts in front may be missing.
var frame = regexp.MustCompile(`^\s*at (?:(.*) \()?([^()]*?):(\d+):(\d+)\)?$`)

// trace turns the engine's trace into one of the user's text, in which only the
// script's own frames are left. line and column are those of the first, 0 when
// there is none.
func (s *source) trace(stack string) (text string, line, column int) {
	var b strings.Builder
	for raw := range strings.Lines(stack) {
		parts := frame.FindStringSubmatch(strings.TrimRight(raw, "\n"))
		if parts == nil || parts[2] != s.name {
			continue
		}
		l, _ := strconv.Atoi(parts[3])
		c, _ := strconv.Atoi(parts[4])
		l, c, users := s.place(l, c)
		if !users {
			continue
		}
		if line == 0 {
			line, column = l, c
		}
		place := s.file + ":" + strconv.Itoa(l) + ":" + strconv.Itoa(c)
		if name := parts[1]; name != "" && name != "<anonymous>" {
			place = name + " (" + place + ")"
		}
		b.WriteString("    at " + place + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), line, column
}

// excerpt is a line of the user's text with a caret.
func (s *source) excerpt(line, column int) string {
	if line == 0 {
		return ""
	}
	return s.maps.Excerpt(line, column)
}
