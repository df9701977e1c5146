// Package report says what went wrong in a run, in the words and the places of
// the user's text. It serves every engine, so that an error reads the same on
// all of them.
package report

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/sourcemap"
)

// Module is the module that scripts import, in imports and in traces.
const Module = "toolscript"

// Source is the script's text behind the code that runs.
type Source struct {
	Name string // of the code, in the engine's traces

	code string // that runs
	file string // of the user's text
	text string // the source map, read when it is first needed
	maps *sourcemap.Map
	read bool

	// UTF16 says that the engine counts columns in units of UTF-16, as V8 does,
	// and not in bytes of UTF-8.
	UTF16 bool
}

// plain is a file name that the engine's traces can hold and that is none of
// ours.
var plain = regexp.MustCompile(`^[^():\n\r\x00]{1,200}$`)

// NewSource is the source of a job.
func NewSource(job runner.Job) *Source {
	s := &Source{code: job.Compiled.JavaScript, Name: "script.ts", file: job.File, text: job.Compiled.SourceMap}
	if s.file == "" {
		s.file = s.Name
	}
	if plain.MatchString(s.file) && s.file != Module {
		s.Name = s.file
	}
	return s
}

// place is where code came from, in the user's text; ok is false for code that
// the compiler added.
func (s *Source) place(line, column int) (l, c int, ok bool) {
	if text, ok := sourcemap.Line(s.code, line); ok && !s.UTF16 && column > 0 && column <= len(text)+1 {
		column = len(utf16.Encode([]rune(text[:counted(text, column-1)]))) + 1
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

// counted is where V8 counts from, of a place in a line of code from which QuickJS
// does: from new, and not from the name after it; from the name of a method, and not
// from the dot before it. Any other place is left as it is.
func counted(text string, at int) int {
	const word = "new"
	for _, dot := range []string{".", "?."} {
		if strings.HasPrefix(text[at:], dot) {
			return at + len(dot)
		}
	}
	before := strings.TrimRight(text[:at], " \t")
	rest, found := strings.CutSuffix(before, word)
	if !found || len(before) == at || (rest != "" && partOfName(rest[len(rest)-1])) {
		return at
	}
	return len(rest)
}

// partOfName reports whether a byte before a word makes it part of a longer one, or
// a property.
func partOfName(b byte) bool {
	return b == '_' || b == '$' || b == '.' || b >= utf8.RuneSelf ||
		'0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// frame is one line of the engine's traces: at name (file:line:column), where
// both parts in front may be missing.
var frame = regexp.MustCompile(`^\s*at (?:(.*) \()?([^()]*?):(\d+):(\d+)\)?$`)

// What is looked at of a trace: a script can make one of megabytes, and finding a
// place takes a look through the whole code.
const (
	mostTrace  = 64 << 10 // bytes
	mostFrames = 200
)

// Trace turns the engine's trace into one of the user's text, in which only the
// script's own frames are left. line and column are those of the first, 0 when
// there is none. What is too much of a trace is left out.
func (s *Source) Trace(stack string) (text string, line, column int) {
	var b strings.Builder
	frames := 0
	for raw := range strings.Lines(stack[:min(len(stack), mostTrace)]) {
		parts := frame.FindStringSubmatch(strings.TrimRight(raw, "\n"))
		if parts == nil || parts[2] != s.Name {
			continue
		}
		if frames++; frames > mostFrames {
			break
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
func (s *Source) excerpt(line, column int) string {
	if line == 0 {
		return ""
	}
	return s.maps.Excerpt(line, column)
}
