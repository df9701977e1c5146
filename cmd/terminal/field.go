package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
)

// field is one member of the answer to a question.
type field struct {
	name     string
	required bool

	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Enum        []string        `json:"enum"`
	OneOf       []constant      `json:"oneOf"`
	Items       struct {
		Enum  []string   `json:"enum"`
		AnyOf []constant `json:"anyOf"`
	} `json:"items"`
}

// constant is a value with a title.
type constant struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// fieldsOf returns the fields of a form.
func fieldsOf(form *toolscript.FlatForm) ([]field, error) {
	var fields []field
	for _, part := range form.Fields {
		f := field{name: part.Name, required: part.Required}
		if err := json.Unmarshal(part.Schema, &f); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// fill asks for each field. ok is false if the input has ended.
func (p *Person) fill(fields []field) (content json.RawMessage, ok bool) {
	given := map[string]json.RawMessage{}
	for _, f := range fields {
		for done := false; !done; {
			text, ok := p.line(f.prompt())
			if !ok {
				return nil, false
			}
			value, err := f.value(text)
			if err != nil {
				p.say("  %v", err)
				continue
			}
			if done = true; value != nil {
				given[f.name] = value
			}
		}
	}
	content, err := json.Marshal(given)
	return content, err == nil
}

// prompt returns the name of the field, its description, and the possible answers.
func (f field) prompt() string {
	text := "  " + OneLine(f.name)
	if about := strings.TrimSpace(f.Title + " " + f.Description); about != "" {
		text += " (" + OneLine(about) + ")"
	}
	if choices := f.choices(); len(choices) > 0 {
		text += " {" + OneLine(strings.Join(choices, " | ")) + "}"
	} else if f.Type != "string" {
		text += " " + OneLine(f.Type)
	}
	switch {
	case f.Default != nil:
		text += " [" + OneLine(string(f.Default)) + "]"
	case !f.required:
		text += " [leave out]"
	}
	return text + ": "
}

// choices returns the possible values; nil means any value.
func (f field) choices() []string {
	choices := slices.Concat(f.Enum, f.Items.Enum)
	for _, c := range slices.Concat(f.OneOf, f.Items.AnyOf) {
		choices = append(choices, c.Const)
	}
	return choices
}

// value parses an answer. A nil result omits the field. The gateway validates the rest
// against the schema.
func (f field) value(text string) (json.RawMessage, error) {
	switch {
	case text == "" && f.Default != nil:
		return f.Default, nil
	case text == "" && !f.required:
		return nil, nil
	case text == "" && f.Type != "string":
		return nil, errors.New("an answer is needed")
	}
	switch f.Type {
	case "boolean":
		return boolean(text)
	case "number", "integer":
		if _, err := strconv.ParseFloat(text, 64); err != nil || !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return json.RawMessage(text), nil
	case "array":
		parts := strings.Split(text, ",")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return json.Marshal(parts)
	}
	if choices := f.choices(); len(choices) > 0 && !slices.Contains(choices, text) {
		return nil, fmt.Errorf("it is one of: %s", OneLine(strings.Join(choices, ", ")))
	}
	return json.Marshal(text)
}

func boolean(text string) (json.RawMessage, error) {
	switch strings.ToLower(text) {
	case "y", "yes", "true":
		return json.RawMessage("true"), nil
	case "n", "no", "false":
		return json.RawMessage("false"), nil
	}
	return nil, errors.New("it is yes or no")
}
