package model

import (
	"encoding/json"
	"strings"
)

type (
	object = map[string]any
	list   = []any
)

// A tool is a tool that the client offers to the model.
type tool struct {
	name      string
	namespace string // only in Responses
}

// A request holds what the requests of all APIs have in common.
type request struct {
	path    string
	body    object
	model   string
	stream  bool
	tools   []tool
	task    string   // task of the last prompt
	calls   []string // calls after the prompt
	results []Result // results after the prompt
}

// user reads a text of the user. A repetition of the current prompt is ignored.
func (q *request) user(text string) {
	if found := prompt.FindStringSubmatch(text); found != nil && found[1] != q.task {
		q.task, q.calls, q.results = found[1], nil, nil
	}
}

// result adds the result of a call: a text, or a list of texts and images.
func (q *request) result(content any) {
	q.results = append(q.results, Result{text(content), images(content)})
}

// shown counts images that a later message of the user contains as part of the last result.
func (q *request) shown(content any) {
	if last := len(q.results) - 1; last >= 0 {
		q.results[last].Images += images(content)
	}
}

// find returns the tool whose name ends with name, or nil.
func (q *request) find(name string) *tool {
	for i, t := range q.tools {
		rest, is := strings.CutSuffix(t.name, name)
		if is && (rest == "" || strings.ContainsAny(rest[len(rest)-1:], "_-.:/")) {
			return &q.tools[i]
		}
	}
	return nil
}

func (q *request) names() string {
	names := make([]string, len(q.tools))
	for i, t := range q.tools {
		names[i] = t.name
	}
	return strings.Join(names, ", ")
}

// The functions below read JSON of clients; a value of an unexpected type counts as missing.

func items(v any) list    { l, _ := v.(list); return l }
func member(v any) object { o, _ := v.(object); return o }
func str(v any) string    { s, _ := v.(string); return s }

// text returns a text, or the joined texts of a list of parts.
func text(content any) string {
	if s, is := content.(string); is {
		return s
	}
	var all strings.Builder
	for _, part := range items(content) {
		all.WriteString(str(member(part)["text"]))
	}
	return all.String()
}

// images returns the number of parts that are images.
func images(content any) (n int) {
	for _, part := range items(content) {
		if strings.Contains(str(member(part)["type"]), "image") {
			n++
		}
	}
	return n
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the package encodes only valid values
	}
	return string(text)
}
