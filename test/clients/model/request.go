package model

import (
	"encoding/json"
	"strings"
)

type (
	object = map[string]any
	list   = []any
)

// A tool is one that the client offers the model.
type tool struct {
	name      string
	namespace string // only Responses has it
}

// A request is what the APIs have in common.
type request struct {
	path    string
	body    object
	model   string
	stream  bool
	tools   []tool
	task    string   // of the last prompt
	calls   []string // since the prompt
	results []Result // since the prompt
}

// user reads a text of the user. Some clients repeat the prompt later in the conversation.
func (q *request) user(text string) {
	if found := prompt.FindStringSubmatch(text); found != nil && found[1] != q.task {
		q.task, q.calls, q.results = found[1], nil, nil
	}
}

// result reads the result of a call: a text, or a list of texts and images.
func (q *request) result(content any) {
	q.results = append(q.results, Result{text(content), images(content)})
}

// shown counts images that come after the results, in a message of the user.
func (q *request) shown(content any) {
	if last := len(q.results) - 1; last >= 0 {
		q.results[last].Images += images(content)
	}
}

// find returns the tool whose name ends with a name, or nil.
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

// The functions below read JSON of clients; a value of another type is as good as none.

func items(v any) list    { l, _ := v.(list); return l }
func member(v any) object { o, _ := v.(object); return o }
func str(v any) string    { s, _ := v.(string); return s }

// text is a text, or the texts of a list of parts.
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

// images counts the parts that are images.
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
		panic(err) // the package makes only values that can be encoded
	}
	return string(text)
}
