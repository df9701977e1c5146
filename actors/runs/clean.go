package runs

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/toolscript/toolscript"
)

// clean returns a text of a server without secrets. Texts of servers about failures and progress
// are cleaned where they enter a run, so no record, event, file or script has the original.
// Results of calls are not cleaned: they are the data of the script.
func (d *Deps) clean(server, text string) string {
	if d.Clean == nil || text == "" {
		return text
	}
	return d.Clean(server, text)
}

// cleanFailure returns the failure of a call without secrets.
func (d *Deps) cleanFailure(server string, e *toolscript.ToolError) *toolscript.ToolError {
	if e == nil || d.Clean == nil {
		return e
	}
	clean := *e
	if server == "" { // the server was not connected when the call began
		server = e.Server
	}
	clean.Message = d.clean(server, e.Message)
	clean.Content = slices.Clone(e.Content)
	for i, block := range clean.Content {
		clean.Content[i] = d.cleanJSON(server, block)
	}
	if e.Structured != nil {
		clean.Structured = d.cleanJSON(server, e.Structured)
	}
	clean.Details = slices.Clone(e.Details)
	for i := range clean.Details {
		clean.Details[i].Message = d.clean(server, clean.Details[i].Message)
	}
	return &clean
}

// cleanError returns the error of a run without secrets. A script may throw a text of a server.
func (d *Deps) cleanError(e *toolscript.RunError) *toolscript.RunError {
	if e == nil || d.Clean == nil {
		return e
	}
	clean := *e
	clean.Message, clean.Stack = d.clean(e.Server, e.Message), d.clean(e.Server, e.Stack)
	return &clean
}

// cleanEvent returns an event without the secrets of a server that reports or asks something.
func (d *Deps) cleanEvent(e toolscript.Event) toolscript.Event {
	switch {
	case e.Type == toolscript.EventProgress:
		e.Message = d.clean("", e.Message)
	case e.Ask != nil:
		q := *e.Ask
		q.URL = d.clean(q.Server, q.URL)
		q.Message, q.Schema = d.clean(q.Server, q.Message), d.cleanJSON(q.Server, q.Schema)
		e.Ask = &q
	}
	return e
}

// cleanJSON cleans the texts in a JSON value. A value without secrets stays as it is.
func (d *Deps) cleanJSON(server string, raw json.RawMessage) json.RawMessage {
	if d.Clean == nil {
		return raw
	}
	var value any
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber() // keep all digits
	if in.Decode(&value) != nil {
		return raw
	}
	changed := false
	value = mapTexts(value, func(text string) string {
		clean := d.clean(server, text)
		changed = changed || clean != text
		return clean
	})
	if !changed {
		return raw
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	_ = to.Encode(value) // a decoded value can be encoded
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// mapTexts replaces all texts and names in a JSON value.
func mapTexts(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = mapTexts(v[i], change)
		}
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, member := range v {
			all[change(name)] = mapTexts(member, change)
		}
		return all
	}
	return value
}
