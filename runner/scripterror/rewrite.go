package scripterror

import (
	"encoding/json"
	"fmt"
)

// An Insertion is text that was inserted into one line of a source before it was
// compiled. The zero Insertion changes nothing.
type Insertion struct {
	Line, Column int // start of the insertion
	Length       int // in UTF-16 units; the text has no line terminator
}

// Original maps a column of the text with the insertion to a column of the user's text.
// Inside the insertion, it returns the start of the insertion, and user is false.
func (i Insertion) Original(line, column int) (original int, user bool) {
	switch {
	case line != i.Line || column < i.Column:
		return column, true
	case column < i.Column+i.Length:
		return i.Column, false
	}
	return column - i.Length, true
}

// Rewrite changes a compiler's map of one source so that it has the name, the text and the
// columns of the user's file. Code from the insertion, and from lines after the user's last
// line, maps to no source.
func Rewrite(text, file, content string, inserted Insertion) (string, error) {
	d, err := decode(text)
	if err != nil {
		return "", err
	}
	if len(d.Sources) > 1 {
		return "", fmt.Errorf("source map: %d sources where one was compiled", len(d.Sources))
	}
	d.Sources, d.SourcesContent = []string{file}, []string{content}
	if inserted.Length > 0 {
		lines, err := parseMappings(d.Mappings, 1)
		if err != nil {
			return "", err
		}
		d.Mappings = printMappings(lines, inserted, Lines(content))
	}
	out, err := json.Marshal(d)
	return string(out), err
}

// printMappings encodes the segments of a map with one source and no names.
func printMappings(lines [][]segment, inserted Insertion, sourceLines int) string {
	var out []byte
	last := segment{}
	for n, segments := range lines {
		if n > 0 {
			out = append(out, ';')
		}
		last.column = 0
		for i, s := range segments {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendVLQ(out, s.column-last.column)
			last.column = s.column
			original, user := inserted.Original(s.line+1, s.origin+1)
			if s.source < 0 || !user || s.line >= sourceLines {
				continue
			}
			s.origin = original - 1
			out = appendVLQ(out, s.source-last.source)
			out = appendVLQ(out, s.line-last.line)
			out = appendVLQ(out, s.origin-last.origin)
			last = s
		}
	}
	return string(out)
}
