package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// arguments reads the arguments of a tool. Clients add members of their own, send null for
// what is optional, and models write numbers as text and a list of one item as the item. All
// of that is accepted. The first refused argument is an error that names it.
type arguments struct {
	given map[string]any
	read  map[string]bool
	notes []string // about values that were changed
	wrong error
}

func argumentsOf(request mcp.CallToolRequest) *arguments {
	a := &arguments{read: map[string]bool{}}
	value := request.GetRawArguments()
	if raw, is := value.(json.RawMessage); is {
		value = decoded(string(raw))
	}
	if text, is := value.(string); is {
		value = decoded(text)
	}
	given, is := value.(map[string]any)
	if !is && value != nil {
		a.wrong = errors.New("the arguments must be a JSON object")
	}
	a.given = given
	return a
}

// decoded is the value of a text in JSON; the text itself if it is something else.
func decoded(text string) (value any) {
	if strings.TrimSpace(text) != "" && json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}

// err returns why the arguments are refused; nil if they are not.
func (a *arguments) err() error { return a.wrong }

func (a *arguments) refuse(name, want string, got any) {
	if a.wrong != nil {
		return
	}
	text, _ := json.Marshal(got) // it was JSON
	a.wrong = fmt.Errorf("%s must be %s, not %.100s", name, want, strings.ToValidUTF8(string(text[:min(len(text), 100)]), ""))
}

// missing refuses the arguments because one is missing. An argument with another name may be
// meant.
func (a *arguments) missing(name, why string) {
	if a.wrong != nil {
		return
	}
	var unknown []string
	for _, other := range slices.Sorted(maps.Keys(a.given)) {
		if !a.read[other] {
			unknown = append(unknown, strconv.Quote(other[:min(len(other), 40)]))
		}
	}
	a.wrong = fmt.Errorf("%s is missing: %s", name, why)
	if len(unknown) > 0 {
		a.wrong = fmt.Errorf("%w; the tool has no argument %s", a.wrong, strings.Join(unknown[:min(len(unknown), 5)], ", "))
	}
}

func (a *arguments) value(name string) any {
	a.read[name] = true
	return a.given[name]
}

// text reads a string.
func (a *arguments) text(name string) string {
	switch v := a.value(name).(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		a.refuse(name, "a text", v)
		return ""
	}
}

// number reads a number up to most. Without it, or for 0, the result is 0.
func (a *arguments) number(name string, most float64) float64 {
	given := a.value(name)
	n, is := given.(float64)
	if text, isText := given.(string); isText {
		var err error
		text = strings.TrimSpace(text)
		n, err = strconv.ParseFloat(text, 64)
		if is = err == nil; text == "" {
			return 0
		}
	}
	switch {
	case given == nil:
		return 0
	case !is || math.IsNaN(n) || n < 0:
		a.refuse(name, fmt.Sprintf("a number up to %.0f", most), given)
		return 0
	case n > most:
		a.notes = append(a.notes, fmt.Sprintf("%s is at most %.0f, which was used in place of %.100g", name, most, n))
		return most
	}
	return n
}

// whole reads a whole number, as number does.
func (a *arguments) whole(name string, most int) int {
	n := a.number(name, float64(most))
	if n != math.Trunc(n) {
		a.refuse(name, fmt.Sprintf("a whole number up to %d", most), a.given[name])
	}
	return int(n)
}

// list reads a list of strings of at most a number of items; 0: any number. One string is a
// list of one, unless it is a list in JSON.
func (a *arguments) list(name string, most int) (all []string) {
	given := a.value(name)
	if text, is := given.(string); is {
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		if json.Unmarshal([]byte(text), &all) != nil {
			all = []string{text}
		}
	} else if items, is := given.([]any); is {
		for _, item := range items {
			text, is := item.(string)
			if !is {
				a.refuse(name, "a list of texts", given)
				return nil
			}
			all = append(all, text)
		}
	} else if given != nil {
		a.refuse(name, "a list of texts", given)
	}
	if most > 0 && len(all) > most {
		a.notes = append(a.notes, fmt.Sprintf("%s has at most %d items; the other %d were left out", name, most, len(all)-most))
		all = all[:most]
	}
	return all
}

// flag reads true or false.
func (a *arguments) flag(name string) bool {
	switch v := a.value(name).(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		if strings.TrimSpace(v) == "" {
			return false
		}
		if yes, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(v))); err == nil {
			return yes
		}
	}
	a.refuse(name, "true or false", a.given[name])
	return false
}
