package terminal

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// WriteValueTable writes a value as a table for a terminal of a width; 0 means output for
// programs. A list has a row for each element, and a column for each member of its objects,
// in the order in which they first appear. An object whose only member is a list is shown
// like the list. Any other object has a row for each member. Any other value is one line.
func WriteValueTable(w io.Writer, width int, text []byte) error {
	if list, is := rowsOf(text); is {
		return rowsTable(list).Write(w, width, nil)
	}
	t := &Table{Header: []string{"Member", "Value"}}
	if !rawjson.Object(text, func(name string, member json.RawMessage) { t.Add(name, cell(member)) }) {
		_, err := io.WriteString(w, OneLine(cell(text))+"\n")
		return err
	}
	return t.Write(w, width, nil)
}

// rowsOf returns the elements of a list, or of the list that is the only member of an object.
func rowsOf(text []byte) (list []json.RawMessage, is bool) {
	members := 0
	var only json.RawMessage
	rawjson.Object(text, func(_ string, member json.RawMessage) { members, only = members+1, member })
	if members == 1 {
		text = only
	}
	return list, json.Unmarshal(text, &list) == nil && list != nil
}

// rowsTable has a row for each element. Elements that are not objects are in the column "Value".
func rowsTable(list []json.RawMessage) *Table {
	const other = "Value"
	t := &Table{}
	rows := make([]map[string]string, len(list))
	for i, element := range list {
		rows[i] = map[string]string{}
		set := func(column string, member json.RawMessage) {
			if !slices.Contains(t.Header, column) {
				t.Header = append(t.Header, column)
			}
			rows[i][column] = cell(member)
		}
		if !rawjson.Object(element, set) {
			set(other, element)
		}
	}
	if len(t.Header) == 0 {
		t.Header = []string{other}
	}
	for _, row := range rows {
		cells := make([]string, len(t.Header))
		for i, column := range t.Header {
			cells[i] = row[column]
		}
		t.Add(cells...)
	}
	for i, column := range t.Header {
		t.Header[i] = OneLine(column)
	}
	return t
}

// cell returns a string without quotes, "" for null, and any other value as JSON.
func cell(member []byte) string {
	var text *string
	if json.Unmarshal(member, &text) != nil {
		return string(member)
	}
	if text == nil {
		return ""
	}
	return *text
}
