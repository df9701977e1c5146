package config

import (
	"fmt"
	"reflect"

	"github.com/toolscript/toolscript"
)

// settingNames are the top-level fields that Settings holds.
var settingNames = []string{"engine", "check", "types", "limits", "search", "output", "toolPacks", "profiles", "profile", "scriptHarness", "providers", "telemetry"}

// apply lays the settings of a validated file over the earlier ones; each limit is separate.
func (s *Settings) apply(root *node) {
	set(&s.Engine, root.child("engine"), (*node).text)
	set(&s.Check, root.child("check"), (*node).text)
	s.Types.apply(root.child("types"))
	s.Search.apply(root.child("search"))
	s.ToolPacks = merged(s.ToolPacks, root.child("toolPacks"))
	s.Harness.apply(root.child("scriptHarness"), root.child("providers"))
	s.Telemetry.apply(root.child("telemetry"))
	output, limits := root.child("output"), root.child("limits")
	set(&s.Output.MaxTokens, output.child("maxTokens"), pointer((*node).integer))
	set(&s.Output.NoPrompts, output.child("prompts"), (*node).off)
	set(&s.Output.TaskAfter, output.child("taskAfter"), (*node).duration)
	set(&s.AnswersMB, limits.child("answersMb"), (*node).count)
	set(&s.Media.Blocks, limits.child("mediaBlocks"), pointer((*node).count))
	set(&s.Media.Bytes, limits.child("mediaBytes"), pointer((*node).count))
	set(&s.Pool, limits.child("pool"), (*node).text)
	for name, value := range limitFields(&s.Limits) {
		set(value, limits.child(name), limit)
	}
}

// set gives a setting the value of a field. It keeps its value if the file does not have the field, or if a variable
// of the field is not set.
func set[T any](setting *T, n *node, value func(*node) T) {
	if n != nil && len(n.unset) == 0 {
		*setting = value(n)
	}
}

// pointer returns a function that returns a pointer to the value.
func pointer[T any](value func(*node) T) func(*node) *T {
	return func(n *node) *T { return new(value(n)) }
}

// limit returns a limit. Only limits in milliseconds may be texts.
func limit(n *node) int64 {
	if n.text() != "" {
		return n.duration().Milliseconds()
	}
	return n.count()
}

// apply lays the type settings of a file over the earlier ones.
func (t *Types) apply(n *node) {
	set(&t.OpenObjects, n.child("openObjects"), (*node).flag)
	set(&t.NoObserve, n.child("observe"), (*node).off)
	set(&t.Describe, n.child("describe"), pointer((*node).integer))
}

// apply lays the search settings of a file over the earlier ones.
func (s *Search) apply(n *node) {
	set(&s.Lexical, n.child("semantic"), (*node).off)
	set(&s.NoCache, n.child("cache"), (*node).off)
	set(&s.Model, n.child("model"), (*node).text)
	set(&s.Library, n.child("library"), (*node).text)
	set(&s.Remote, n.child("remote"), remote)
	set(&s.Limit, n.child("limit"), (*node).integer)
	set(&s.Alpha, n.child("alpha"), pointer((*node).number))
	set(&s.Threshold, n.child("threshold"), pointer((*node).number))
}

// Changes returns the names of the fields that differ from other.
func (s Search) Changes(other Search) (fields []string) {
	for _, f := range []struct {
		name      string
		one, next any
	}{
		{"semantic", s.Lexical, other.Lexical},
		{"cache", s.NoCache, other.NoCache},
		{"limit", s.Limit, other.Limit},
		{"alpha", s.Alpha, other.Alpha},
		{"threshold", s.Threshold, other.Threshold},
		{"model", s.Model, other.Model},
		{"library", s.Library, other.Library},
		{"remote", s.Remote, other.Remote},
	} {
		if !reflect.DeepEqual(f.one, f.next) {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// remote returns a whole endpoint, so that its key is never sent to another. If a variable is not set, there is no
// endpoint.
func remote(n *node) Remote {
	if len(n.missing()) > 0 {
		return Remote{}
	}
	return Remote{n.child("url").text(), n.child("model").text(), n.child("key").text()}
}

// limitFields returns the limits by their names in the file and in POST /exec. Only limits
// in milliseconds may be strings.
func limitFields(l *toolscript.Limits) map[string]*int64 {
	return map[string]*int64{
		"timeoutMs":   &l.TimeoutMs,
		"cpuMs":       &l.CPUMs,
		"memoryMb":    &l.MemoryMB,
		"stackKb":     &l.StackKB,
		"toolCalls":   &l.ToolCalls,
		"concurrency": &l.Concurrency,
		"questions":   &l.Questions,
		"sourceBytes": &l.SourceBytes,
		"valueBytes":  &l.ValueBytes,
		"outputBytes": &l.OutputBytes,
		"logLines":    &l.LogLines,
	}
}

// unsetSettings returns warnings about the parts of a setting that need a variable without a value.
func (d *document) unsetSettings(name string) Mistakes {
	n := d.root.child(name)
	if n == nil {
		return nil
	}
	var out Mistakes
	for _, m := range n.missing(name) {
		message := fmt.Sprintf("variable %s is not set; the setting is ignored", printable(m.variable))
		out = append(out, d.mistake(m.field, d.root.find(m.field).at, message))
	}
	return out
}
