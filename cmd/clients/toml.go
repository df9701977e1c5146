package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// parseTOML parses a text. The error contains no part of the text, which may have secrets.
func parseTOML(text []byte) (map[string]any, error) {
	fields := map[string]any{}
	err := toml.Unmarshal(rawjson.TrimMark(text), &fields)
	if wrong, is := errors.AsType[*toml.DecodeError](err); is {
		line, column := wrong.Position()
		return nil, fmt.Errorf("line %d, column %d: this is not TOML", line, column)
	}
	if err != nil {
		return nil, errors.New("this is not TOML")
	}
	return fields, nil
}

// asJSON converts a TOML value to the types of a JSON value.
func asJSON(value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	return d.root.plain(), nil
}

// setTable returns the text with a table. It replaces a table of that name, or adds the
// table at the end.
func setTable(text []byte, table string, keys ...string) ([]byte, error) {
	block := []byte(table)
	if bytes.Contains(text, []byte("\r\n")) {
		block = bytes.ReplaceAll(block, []byte("\n"), []byte("\r\n"))
	}
	added, err := parseTOML([]byte(table))
	if err != nil {
		return nil, err
	}
	var out []byte
	if from, to, ok := findTable(text, keys); ok {
		tail := text[to:]
		if len(tail) > 0 {
			block = append(block, "\n"...)
		}
		out = append(append(bytes.Clone(text[:from]), block...), tail...)
	} else {
		out = bytes.Clone(text)
		if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, '\n')
		}
		if len(bytes.TrimSpace(out)) > 0 {
			out = append(out, '\n')
		}
		out = append(out, block...)
	}
	return out, checkEdit(parseTOML, text, out, func(before map[string]any) { withValue(before, valueAt(added, keys), keys) })
}

// removeTable returns the text without a table. If the table has another content, that is an error.
func removeTable(text []byte, table string, keys ...string) ([]byte, error) {
	fields, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	if valueAt(fields, keys) == nil {
		return text, nil
	}
	added, err := parseTOML([]byte(table))
	if err != nil {
		return nil, err
	}
	from, to, ok := findTable(text, keys)
	if !ok || !reflect.DeepEqual(valueAt(fields, keys), valueAt(added, keys)) {
		return nil, fmt.Errorf("%s has changed since", strings.Join(keys, "."))
	}
	out := append(bytes.TrimRight(bytes.Clone(text[:from]), "\r\n"), '\n')
	if to < len(text) {
		out = append(append(out, '\n'), text[to:]...)
	}
	return out, checkEdit(parseTOML, text, out, func(before map[string]any) {
		withoutValue(before, keys)
		if parent := object(valueAt(before, keys[:len(keys)-1])); len(parent) == 0 {
			withoutValue(before, keys[:len(keys)-1]) // a parent table without its own header disappears with its last table
		}
	})
}

// checkEdit returns an error unless the new text has the content of the old one after a change.
func checkEdit(parse func([]byte) (map[string]any, error), before, after []byte, change func(map[string]any)) error {
	want, err := parse(before)
	if err != nil {
		return err
	}
	got, err := parse(after)
	if err != nil {
		return errUnsafe
	}
	if change(want); !reflect.DeepEqual(want, got) {
		return errUnsafe
	}
	return nil
}

// setTOML returns the text with a boolean set in a table that has a header.
func setTOML(text []byte, field string, value bool, keys ...string) ([]byte, error) {
	from, to, ok := findTable(text, keys)
	if !ok {
		return nil, errUnsafe
	}
	assignment := regexp.MustCompile(`(?m)^[ \t]*` + regexp.QuoteMeta(field) + `[ \t]*=[^\r\n#]*?([ \t]*(#[^\r\n]*)?)$`)
	line := fmt.Sprintf("%s = %t", field, value)
	table := text[from:to]
	if assignment.Match(table) {
		table = assignment.ReplaceAll(table, []byte(line+"$1"))
	} else {
		header := bytes.IndexByte(table, '\n') + 1
		if header == 0 {
			return nil, errUnsafe
		}
		newline := "\n"
		if bytes.HasSuffix(table[:header], []byte("\r\n")) {
			newline = "\r\n"
		}
		table = slices.Concat(table[:header], []byte(line+newline), table[header:])
	}
	out := slices.Concat(text[:from], table, text[to:])
	return out, checkEdit(parseTOML, text, out, func(before map[string]any) { withValue(before, value, append(slices.Clone(keys), field)) })
}

func valueAt(value any, keys []string) any {
	for _, key := range keys {
		value = object(value)[key]
	}
	return value
}

var (
	tableHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*\[`) })
	blanks      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[ \t"']`) })
)

// findTable returns the range of a table: from its header to the next header.
func findTable(text []byte, keys []string) (from, to int, ok bool) {
	header := "[" + strings.Join(keys, ".") + "]"
	at := 0
	for line := range bytes.Lines(text) {
		if tableHeader().Match(line) {
			if ok {
				return from, at, true
			}
			name, _, _ := strings.Cut(blanks().ReplaceAllString(string(line), ""), "#")
			if strings.TrimRight(name, "\r\n") == header {
				from, ok = at, true
			}
		}
		at += len(line)
	}
	return from, at, ok
}
