package codegen

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// helpful are the constraints that help a reader to choose an argument. The compact form
// shows only these constraints.
var helpful = []string{
	"format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
	"minItems", "maxItems", "multipleOf", "contentEncoding",
}

const (
	shortPattern = 30      // maximum number of characters of a pattern that can be read at a glance
	wideLimit    = 1 << 31 // a larger limit only says that the number fits into its type
)

// appendHelp adds the default of an argument and the helpful constraints. It leaves out an
// empty default, because readers assume it anyway.
func appendHelp(lines []string, otherwise, rules *value) []string {
	if !otherwise.isEmpty() {
		lines = appendTag(lines, "default", otherwise)
	}
	tuple := rules.has("prefixItems") || rules.get("items").is(array) // the type of a tuple shows its length
	for _, name := range helpful {
		if v := rules.get(name); helps(name, v) && (!tuple || !strings.HasSuffix(name, "Items")) {
			lines = appendTag(lines, name, v)
		}
	}
	return lines
}

// isEmpty reports whether v is null, false, an empty string, list or object.
func (v *value) isEmpty() bool {
	switch {
	case v.is(text):
		return v.text == ""
	case v.is(array), v.is(object):
		return len(v.items)+len(v.members) == 0
	}
	return v.is(null) || v.isFalse()
}

// helps reports whether a constraint says more than the type and name of an argument.
func helps(name string, v *value) bool {
	switch name {
	case "format":
		switch v.str() {
		case "date", "date-time", "time", "duration", "uuid", "byte":
			return true
		}
		return false
	case "pattern":
		return len(v.str()) <= shortPattern
	case "contentEncoding":
		return true
	}
	limit, err := strconv.ParseFloat(v.literal(), 64)
	if err != nil || limit >= wideLimit-1 || limit <= -wideLimit {
		return false
	}
	switch name {
	case "minLength", "minItems":
		return limit > 1
	case "exclusiveMinimum":
		return limit != 0
	}
	return true
}

// rules returns the schema with the constraints of an argument. It is v itself if v has
// constraints, otherwise the only schema besides null to which v refers, or the schema of its items.
func (c *converter) rules(v *value) *value {
	for range maxReferences {
		switch branches := slices.Concat(v.list("anyOf"), v.list("oneOf"), v.list("allOf")); {
		case v.has(helpful...):
			return v
		case v.has("$ref"):
			v = c.doc.resolve(v, v.get("$ref").str())
		case len(branches) > 0:
			branches = slices.DeleteFunc(branches, func(b *value) bool { return b.get("type").str() == "null" })
			if len(branches) != 1 {
				return nil
			}
			v = branches[0]
		default:
			v = v.get("items")
		}
	}
	return nil
}

// generic are words that a title may add to a name without saying more.
var generic = []string{"arguments", "args", "params", "parameters", "input", "output", "result", "response", "request", "schema"}

// repeats reports whether a text consists only of the words of a name and generic words. Some
// libraries derive such titles from names.
func repeats(text, name string) bool {
	if len(text) > 2*len(name)+len("parameters") {
		return false
	}
	said, known := letters(text), letters(name)
	if said == known {
		return true
	}
	more, found := strings.CutPrefix(said, known)
	return found && slices.Contains(generic, more)
}

// letters returns the letters and digits of a text, in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
