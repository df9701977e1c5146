package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/internal/naming"
)

// given are the arguments of a call of one of our own tools. Clients add their own members, and send null or empty
// values for optional arguments; models write numbers as text, and a list of one item as the item. All of that is
// accepted. The result is checked with the schema of the tool, like the arguments of other tools.
type given struct {
	schema  json.RawMessage
	members map[string]any
	unknown []string // quoted names of arguments that the tool does not have
	notes   []string // notes about values that were changed or ignored
	wrong   error
}

// property is the part of an argument's schema that is used here.
type property struct {
	Type, Description string
	Maximum           *float64
	MaxItems          int
}

func givenOf(tool mcp.Tool, request mcp.CallToolRequest) *given {
	g := &given{schema: tool.RawInputSchema}
	value := request.GetRawArguments()
	if raw, is := value.(json.RawMessage); is {
		value = decoded(string(raw))
	}
	if text, is := value.(string); is {
		value = decoded(text)
	}
	members, is := value.(map[string]any)
	if !is && value != nil {
		g.wrong = errors.New("the arguments must be a JSON object")
	}
	var schema struct{ Properties map[string]property }
	if err := json.Unmarshal(g.schema, &schema); err != nil {
		g.wrong = err
	}
	g.members = map[string]any{}
	for name, value := range members {
		if p, known := schema.Properties[name]; known && !isNothing(value) {
			if value = g.plain(name, p, value); !isNothing(value) {
				g.members[name] = value
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if _, known := schema.Properties[name]; !known && g.wrong == nil {
			g.foreign(name, members, slices.Sorted(maps.Keys(schema.Properties)))
		}
	}
	return g
}

// isNothing reports whether a value means that an optional argument is absent.
func isNothing(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// foreign handles an argument that the tool does not have. It is refused if its name is
// similar to that of an absent argument, else ignored.
func (g *given) foreign(name string, members map[string]any, known []string) {
	shown := strconv.Quote(name[:min(len(name), 40)])
	near := naming.Nearest(name, slices.DeleteFunc(known, func(k string) bool { return members[k] != nil || naming.Similarity(name, k) < 0.6 }), 1)
	if len(near) > 0 {
		g.wrong = fmt.Errorf("the tool has no argument %s%s", shown, naming.DidYouMean(near))
		return
	}
	if g.unknown = append(g.unknown, shown); len(g.unknown) <= 5 {
		g.notes = append(g.notes, "the tool has no argument "+shown+", which was ignored")
	}
}

// decoded returns the value of a JSON text, or the text itself if it is not JSON.
func decoded(text string) (value any) {
	if strings.TrimSpace(text) != "" && json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}

// plain converts a value to the type in the schema. It returns the value itself if that is not possible.
func (g *given) plain(name string, p property, value any) any {
	text, isText := value.(string)
	number, isNumber := value.(float64)
	switch p.Type {
	case "string":
		if isNumber && name != "code" {
			return strconv.FormatFloat(number, 'f', -1, 64)
		}
	case "boolean":
		if yes, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(text))); err == nil {
			return yes
		}
	case "integer", "number":
		if isText {
			value = decoded(text)
			number, isNumber = value.(float64)
		}
		if isNumber && p.Maximum != nil && number > *p.Maximum {
			unit := ""
			if strings.HasPrefix(p.Description, "Seconds") {
				unit = ", in seconds"
			}
			g.notes = append(g.notes, fmt.Sprintf("%s is at most %.0f%s; %[2]v was used in place of %.100[4]g", name, *p.Maximum, unit, number))
			return *p.Maximum
		}
	case "array":
		if isText {
			if value = decoded(text); !strings.HasPrefix(strings.TrimSpace(text), "[") {
				list := []any{}
				for part := range strings.SplitSeq(text, ",") { // tool names have no commas
					list = append(list, strings.TrimSpace(part))
				}
				value = list
			}
		}
		if list, is := value.([]any); is {
			value = slices.DeleteFunc(list, isNothing)
		}
		if list, is := value.([]any); is && p.MaxItems > 0 && len(list) > p.MaxItems {
			g.notes = append(g.notes, fmt.Sprintf("%s has at most %d items; the other %d were left out", name, p.MaxItems, len(list)-p.MaxItems))
			return list[:p.MaxItems]
		}
	}
	return value
}

// has reports whether an argument is given.
func (g *given) has(name string) bool { return g.members[name] != nil }

// missing refuses the arguments because one is absent. It also names unknown arguments, one of which may be meant.
func (g *given) missing(name, why string) {
	if g.wrong != nil {
		return
	}
	g.wrong = fmt.Errorf("%s is missing: %s", name, why)
	if len(g.unknown) > 0 {
		g.wrong = fmt.Errorf("%w; the tool has no argument %s", g.wrong, strings.Join(g.unknown[:min(len(g.unknown), 5)], ", "))
	}
}

// into checks the arguments and stores them in a struct. The error says what is wrong.
func (g *given) into(ctx context.Context, args any) error {
	if g.wrong != nil {
		return g.wrong
	}
	text, err := json.Marshal(g.members)
	if err != nil {
		return err
	}
	if err := exec.CheckArguments(ctx, text, g.schema); err != nil {
		return err
	}
	return json.Unmarshal(text, args)
}
