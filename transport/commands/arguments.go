package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Arguments returns the program with its arguments for a call, and its standard input. args is a
// JSON object that is valid for the schema of the tool. A value is always one argument, whatever
// characters it contains. A value that begins with "-" is an error where the program would take it
// for an option: as an argument of its own, without a flag, before "--".
func (d Definition) Arguments(args json.RawMessage) (out []string, stdin string, err error) {
	values, err := d.values(args)
	if err != nil {
		return nil, "", err
	}
	onlyValues := false // after "--"
	for _, word := range d.Run {
		words := d.expand(word, values)
		for i, w := range words {
			if strings.ContainsRune(w, 0) {
				return nil, "", fmt.Errorf("an argument contains a NUL byte")
			}
			if strings.HasPrefix(w, "-") && !onlyValues && strings.HasPrefix(word, "{") && d.free(word, i) {
				return nil, "", fmt.Errorf("%.80q begins with \"-\", so the program would read it as an option; "+
					"a definition that means such values has a flag for the parameter, or \"--\" before it", w)
			}
		}
		onlyValues = onlyValues || word == "--"
		out = append(out, words...)
	}
	return out, strings.Join(values[d.Stdin], ""), nil
}

// fixed returns the arguments of the program that come before the first argument of a caller.
func (d Definition) fixed() (words []string) {
	for _, word := range d.Run[1:] {
		if !slices.Equal(d.expand(word, nil), []string{word}) {
			break
		}
		words = append(words, word)
	}
	return words
}

// free reports whether word i of an argument of the definition comes from the caller and
// stands alone: it is neither the flag of the parameter nor the value after the flag.
func (d Definition) free(argument string, i int) bool {
	m := placeholder().FindStringSubmatch(argument)
	if m == nil || argument != m[0] {
		return m != nil && i == 0
	}
	return d.Parameters[m[1]].Flag == ""
}

// values returns the texts of each parameter: nil if it is absent, several for an array.
func (d Definition) values(args json.RawMessage) (map[string][]string, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for name, p := range d.Parameters {
		value, has := given[name]
		if !has || bytes.Equal(value, []byte("null")) {
			value = p.Default
		}
		if value == nil {
			continue
		}
		texts, err := p.texts(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = texts
	}
	return out, nil
}

// texts returns the texts of a value. The result is never nil, so an empty array differs from an absent one.
func (p Parameter) texts(value json.RawMessage) ([]string, error) {
	if p.Type != "array" {
		text, err := scalar(value)
		return []string{text}, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(value, &items); err != nil {
		return nil, err
	}
	out := []string{}
	for _, item := range items {
		text, err := scalar(item)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	if p.Join != "" && len(out) > 0 {
		return []string{strings.Join(out, p.Join)}, nil
	}
	return out, nil
}

// scalar returns a string without its quotes, or the JSON of another value.
func scalar(value json.RawMessage) (string, error) {
	if !bytes.HasPrefix(value, []byte(`"`)) {
		return string(value), nil
	}
	var text string
	err := json.Unmarshal(value, &text)
	return text, err
}

// expand replaces the placeholders in one argument. It returns nothing if a parameter is
// absent.
func (d Definition) expand(word string, values map[string][]string) []string {
	if m := placeholder().FindStringSubmatch(word); m != nil && word == m[0] {
		if p, known := d.Parameters[m[1]]; known {
			return p.words(values[m[1]])
		}
	}
	var out strings.Builder
	rest := word
	for {
		m := placeholder().FindStringSubmatchIndex(rest)
		if m == nil {
			return []string{out.String() + rest}
		}
		name := rest[m[2]:m[3]]
		_, known := d.Parameters[name]
		if !known || m[0] > 0 && rest[m[0]-1] == '{' {
			out.WriteString(rest[:m[1]])
			rest = rest[m[1]:]
			continue
		}
		texts := values[name]
		if len(texts) == 0 {
			return nil
		}
		out.WriteString(rest[:m[0]] + texts[0])
		rest = rest[m[1]:]
	}
}

// words returns the arguments for a placeholder that is a whole argument.
func (p Parameter) words(texts []string) (out []string) {
	if p.Type == "boolean" && p.Flag != "" {
		if len(texts) > 0 && texts[0] == "true" {
			return []string{strings.TrimSuffix(p.Flag, "=")}
		}
		return nil
	}
	for _, text := range texts {
		switch {
		case strings.HasSuffix(p.Flag, "="):
			out = append(out, p.Flag+text)
		case p.Flag != "":
			out = append(out, p.Flag, text)
		default:
			out = append(out, text)
		}
	}
	return out
}
