package scripterror

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolscript/toolscript/runner"
)

// Module is the name of the module that scripts import.
const Module = "toolscript"

// Source holds the code of a script and its modules, and maps positions in it to the user's text.
type Source struct {
	Name string // name of the script in traces of the engine

	files map[string]*file // files by their names in traces

	// UTF16 says that the engine counts columns in UTF-16 units, as V8 does, instead of bytes
	// of UTF-8.
	UTF16 bool
}

// file is one file of a script.
type file struct {
	name string // name of the user's file
	code string // code that the engine runs
	text string // the source map, parsed on first use
	maps *Map
	read bool
}

// plain matches file names that are unambiguous in traces.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^():\n\r\x00]{1,200}$`) })

// NewSource returns the source of a job.
func NewSource(job runner.Job) *Source {
	main := &file{name: cmp.Or(job.File, "script.ts"), code: job.Compiled.JavaScript, text: job.Compiled.SourceMap}
	s := &Source{Name: "script.ts", files: map[string]*file{}}
	if plain().MatchString(main.name) && main.name != Module && !strings.HasPrefix(main.name, "./") {
		s.Name = main.name
	}
	s.files[s.Name] = main
	for _, m := range job.Compiled.Modules {
		s.files[runner.ModuleName(m.Path)] = &file{name: m.Path, code: m.JavaScript, text: m.SourceMap}
	}
	return s
}

// Code returns the code of a module by its name in the engine.
func (s *Source) Code(module string) (string, bool) {
	if module == s.Name || s.files[module] == nil {
		return "", false
	}
	return s.files[module].code, true
}

// place maps a position in the code to the user's text. ok is false for code that the
// compiler added. utf16 is as in Source.
func (s *file) place(line, column int, utf16 bool) (l, c int, ok bool) {
	if text, ok := Line(s.code, line); ok && !utf16 && column > 0 && column <= len(text)+1 {
		column = units(text[:counted(text, column-1)]) + 1
	}
	if !s.read {
		s.read = true
		s.maps, _ = ParseMap(s.text) // an invalid map maps nothing
	}
	if s.text == "" { // the code is the user's text
		return line, column, true
	}
	_, l, c, ok = s.maps.Lookup(line, column)
	return l, c, ok
}

// units returns the length of a text in UTF-16 units. It allocates nothing: a trace has many
// positions, each perhaps at the end of a line of a megabyte.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// counted converts a column of QuickJS to the column that V8 reports. For a constructor, that is the
// column of new and not of the name after it. For a method, it is the column of the name and not
// of the dot before it. Other columns are unchanged.
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

// partOfName reports whether the byte b before a word shows that the word is a part of a longer
// name, or the name of a property.
func partOfName(b byte) bool {
	return b == '_' || b == '$' || b == '.' || b >= utf8.RuneSelf ||
		'0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// frame matches one line of a trace: at name (file:line:column). The name may be missing or
// empty.
var frame = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*at (?:(.*) \()?([^()]*?):(\d+):(\d+)\)?$`) })

// The limits of a trace. A script can make a trace of megabytes, and each lookup of a
// position scans the code.
const (
	mostTrace  = 64 << 10 // bytes
	mostFrames = 200
)

// Trace converts the positions in a trace of the engine and keeps only the frames of the
// script and its modules. It cuts traces at mostTrace and mostFrames.
func (s *Source) Trace(stack string) string {
	text, _ := s.trace(stack)
	return text
}

// trace is like Trace, and also returns the line of the user's text at the first frame, with
// a caret.
func (s *Source) trace(stack string) (text, excerpt string) {
	var b strings.Builder
	frames := 0
	for raw := range strings.Lines(stack[:min(len(stack), mostTrace)]) {
		parts := frame().FindStringSubmatch(strings.TrimRight(raw, "\n"))
		if parts == nil || s.files[parts[2]] == nil {
			continue
		}
		f := s.files[parts[2]]
		if frames++; frames > mostFrames {
			break
		}
		l, _ := strconv.Atoi(parts[3])
		c, _ := strconv.Atoi(parts[4])
		l, c, users := f.place(l, c, s.UTF16)
		if !users {
			continue
		}
		if b.Len() == 0 {
			excerpt = f.maps.Excerpt(l, c)
		}
		place := f.name + ":" + strconv.Itoa(l) + ":" + strconv.Itoa(c)
		if name := parts[1]; name != "" && name != "<anonymous>" {
			place = name + " (" + place + ")"
		}
		b.WriteString("    at " + place + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), excerpt
}
