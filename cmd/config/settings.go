package config

import (
	"fmt"
	"reflect"

	"github.com/toolscript/toolscript"
)

// settingNames are the top-level fields that Settings holds.
var settingNames = []string{"engine", "check", "types", "limits", "search", "output", "toolPacks", "profiles", "profile", "scriptHarness", "providers", "telemetry"}

// apply lays the settings of a validated file over the earlier ones; each limit is
// separate. A setting with a variable that is not set keeps its value.
func (s *Settings) apply(root *node) {
	override(&s.Engine, root.child("engine"))
	override(&s.Check, root.child("check"))
	s.Types.apply(root.child("types"))
	s.Search.apply(root.child("search"))
	s.ToolPacks = merged(s.ToolPacks, root.child("toolPacks"))
	s.Harness.apply(root.child("scriptHarness"), root.child("providers"))
	s.Telemetry.apply(root.child("telemetry"))
	if most := root.child("output").child("maxTokens"); most != nil {
		tokens := int(most.count())
		s.Output.MaxTokens = &tokens
	}
	if offer := root.child("output").child("prompts"); offer != nil {
		s.Output.NoPrompts = !offer.flag()
	}
	if after := root.child("output").child("taskAfter"); after != nil {
		s.Output.TaskAfter = after.duration()
	}
	limits := root.child("limits")
	if n := limits.child("answersMb"); n != nil && len(n.unset) == 0 {
		s.AnswersMB = n.count()
	}
	for name, value := range map[string]**int64{"mediaBlocks": &s.Media.Blocks, "mediaBytes": &s.Media.Bytes} {
		if n := limits.child(name); n != nil && len(n.unset) == 0 {
			most := n.count()
			*value = &most
		}
	}
	override(&s.Pool, limits.child("pool"))
	for name, value := range limitFields(&s.Limits) {
		n := limits.child(name)
		if n == nil || len(n.unset) > 0 {
			continue
		}
		if n.text() != "" {
			*value = n.duration().Milliseconds()
		} else {
			*value = n.count()
		}
	}
}

// apply lays the type settings of a file over the earlier ones.
func (t *Types) apply(n *node) {
	if open := n.child("openObjects"); open != nil {
		t.OpenObjects = open.flag()
	}
	if observe := n.child("observe"); observe != nil {
		t.NoObserve = !observe.flag()
	}
	if describe := n.child("describe"); describe != nil {
		characters := int(describe.count())
		t.Describe = &characters
	}
}

// apply lays the search settings of a file over the earlier ones.
func (s *Search) apply(n *node) {
	if semantic := n.child("semantic"); semantic != nil {
		s.Lexical = !semantic.flag()
	}
	if cache := n.child("cache"); cache != nil {
		s.NoCache = !cache.flag()
	}
	override(&s.Model, n.child("model"))
	override(&s.Library, n.child("library"))
	if remote := n.child("remote"); remote != nil {
		s.Remote.apply(remote)
	}
	if limit := n.child("limit"); limit != nil {
		s.Limit = int(limit.count())
	}
	for name, value := range map[string]**float64{"alpha": &s.Alpha, "threshold": &s.Threshold} {
		if given := n.child(name); given != nil {
			number := given.number()
			*value = &number
		}
	}
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

// apply replaces the whole endpoint, so that its key is never sent to another. If a
// variable is not set, there is no endpoint.
func (r *Remote) apply(n *node) {
	*r = Remote{}
	if len(n.missing()) == 0 {
		*r = Remote{n.child("url").text(), n.child("model").text(), n.child("key").text()}
	}
}

func override(value *string, n *node) {
	if n != nil && len(n.unset) == 0 {
		*value = n.text()
	}
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
