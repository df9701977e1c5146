// Package commands is a server whose tools are programs: the configuration declares the
// arguments of each program and the parameters that fill them. There is no shell.
package commands

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// Definition is one command of the configuration.
type Definition struct {
	Description string               `json:"description"`
	Run         []string             `json:"run"`
	Parameters  map[string]Parameter `json:"parameters"`
	Output      string               `json:"output"` // one of the Output constants; "" is OutputText
	Result      json.RawMessage      `json:"result"` // JSON Schema of the result; empty if unknown
	ReadOnly    bool                 `json:"readOnly"`
	ExitCodes   []int                `json:"exitCodes"` // exit codes that mean success; empty means 0
	Timeout     Duration             `json:"timeout"`   // 0: the time limit of the server
	Stdin       string               `json:"stdin"`     // parameter whose value is standard input; "": no input

	wrong error // why the definition cannot be parsed
}

// The forms of the output of a program.
const (
	OutputText    = "text"      // the result is the output as a string
	OutputJSON    = "json"      // the result is the JSON value; null if nothing is printed
	OutputLines   = "jsonLines" // the result is an array with the JSON value of each line
	OutputProcess = "process"   // the result has exitCode, stdout and stderr
)

// Parameter is one parameter of a command.
type Parameter struct {
	Schema   json.RawMessage // JSON Schema of the value, for the tool
	Type     string          // string, integer, number, boolean or array
	Flag     string          // option before the value; with "=" at the end, both form one argument
	Join     string          // for an array: separator of its items in one argument; "" repeats the argument
	Optional bool
	Default  json.RawMessage
}

// UnmarshalJSON accepts an object, or a string, which is the description of a parameter of type string.
func (p *Parameter) UnmarshalJSON(text []byte) error {
	var description string
	if json.Unmarshal(text, &description) == nil {
		p.Type = "string"
		p.Schema, _ = toolscript.PlainJSON(map[string]string{"type": "string", "description": description}) // strings always marshal
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	for name, to := range map[string]any{"type": &p.Type, "flag": &p.Flag, "join": &p.Join, "optional": &p.Optional} {
		if value, given := members[name]; given {
			if err := json.Unmarshal(value, to); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if p.Type == "" {
		p.Type = "string"
		members["type"] = json.RawMessage(`"string"`)
	}
	p.Default = members["default"]
	delete(members, "flag")
	delete(members, "join")
	delete(members, "optional")
	var err error
	p.Schema, err = toolscript.PlainJSON(members)
	return err
}

// required reports whether a call must set the parameter.
func (p Parameter) required() bool {
	return !p.Optional && p.Default == nil && p.Type != "boolean"
}

// Duration is a time span in the configuration: a string such as "30s", or a number of milliseconds.
type Duration time.Duration

// UnmarshalJSON accepts both forms.
func (t *Duration) UnmarshalJSON(text []byte) error {
	var written string
	if json.Unmarshal(text, &written) != nil {
		written = string(text)
	}
	if number, err := strconv.ParseFloat(written, 64); err == nil {
		*t = Duration(number * float64(time.Millisecond))
		return nil
	}
	parsed, err := time.ParseDuration(written)
	*t = Duration(parsed)
	return err
}

// Parse returns the definitions of a server by the name of the tool. A definition that
// cannot be parsed is included; its Check returns the reason.
func Parse(text json.RawMessage) (map[string]Definition, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	out := map[string]Definition{}
	for name, text := range all {
		var d Definition
		d.wrong = json.Unmarshal(text, &d)
		out[name] = d
	}
	return out, nil
}

// placeholder matches {name} in an argument.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`) })

// Check returns the path of a wrong field and the problem, or "" and "" for a valid definition.
// It does not repeat what the schema of the configuration checks.
func (d Definition) Check() (field, problem string) {
	switch p, known := d.Parameters[d.Stdin]; {
	case d.wrong != nil:
		return "", d.wrong.Error()
	case len(d.Run) == 0 || d.Run[0] == "":
		return "run", "names no program"
	case d.Stdin != "" && !known:
		return "stdin", fmt.Sprintf("%s names no parameter; the parameters are: %s", d.Stdin, strings.Join(sorted(d.Parameters), ", "))
	case d.Stdin != "" && (p.Flag != "" || p.Type == "array" && p.Join == ""):
		return "stdin", fmt.Sprintf(`%s has a flag, or is an array without "join"`, d.Stdin)
	}
	used := map[string]bool{d.Stdin: true}
	for i, word := range d.Run {
		for _, m := range placeholder().FindAllStringSubmatchIndex(word, -1) {
			name := word[m[2]:m[3]]
			if m[0] > 0 && word[m[0]-1] == '{' { // such as {{name}} of a template
				continue
			}
			p, known := d.Parameters[name]
			at := fmt.Sprintf("run.%d", i)
			whole := word == "{"+name+"}"
			switch {
			case !known: // such as {end} of a template, or {print} of awk
				continue
			case i == 0:
				return at, "the program itself cannot be a parameter"
			case !whole && p.Flag != "":
				return at, fmt.Sprintf("{%s} has a flag, so it must be an argument of its own", name)
			case !whole && p.Type == "array" && p.Join == "":
				return at, fmt.Sprintf(`{%s} is an array, so it must be an argument of its own, or have "join"`, name)
			}
			used[name] = true
		}
	}
	for _, name := range sorted(d.Parameters) {
		p := d.Parameters[name]
		switch {
		case !used[name]:
			return "parameters." + name, "is not used: write {" + name + "} in run, or name it in stdin"
		case p.Join != "" && p.Type != "array":
			return "parameters." + name + ".join", "is for a parameter of type array"
		case p.Type == "boolean" && strings.HasSuffix(p.Flag, "=") && p.Default != nil:
			return "parameters." + name + ".flag", "of a boolean stands without a value"
		}
	}
	return "", ""
}

// braced matches a word in braces that may be a misspelt {name}.
var braced = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([ \t]*[A-Za-z_][A-Za-z0-9_ \t.-]*)\}`) })

// Near returns a warning, with its field, for each word in braces that is spelled almost
// like a parameter. Braces around other words belong to the argument.
func (d Definition) Near() (fields, warnings []string) {
	for i, word := range d.Run {
		for _, m := range braced().FindAllStringSubmatchIndex(word, -1) {
			name := word[m[2]:m[3]]
			if _, known := d.Parameters[name]; known || m[0] > 0 && strings.ContainsRune("{@$", rune(word[m[0]-1])) {
				continue
			}
			if near := d.near(strings.TrimSpace(name)); near != "" {
				fields = append(fields, fmt.Sprintf("run.%d", i))
				warnings = append(warnings, fmt.Sprintf("{%s} names no parameter, so it stays as it is; did you mean {%s}?", name, near))
			}
		}
	}
	return fields, warnings
}

// near returns the parameter whose name is spelled almost like name, or "".
func (d Definition) near(name string) string {
	names := sorted(d.Parameters)
	for _, p := range names {
		if bare(p) == bare(name) || swapped(p, name) {
			return p
		}
	}
	if near := naming.Nearest(name, names, 1); len(near) > 0 && !strings.ContainsAny(name, " \t.") && naming.Similarity(name, near[0]) >= 0.6 {
		return near[0]
	}
	return ""
}

// bare returns a name in lower case, without the characters that separate words.
func bare(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "", "\t", "").Replace(name))
}

// swapped reports whether two names differ only in two adjacent letters that have changed places.
func swapped(a, b string) bool {
	for i := range len(a) - 1 {
		if a[i] != b[min(i, len(b)-1)] {
			return len(a) == len(b) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
