package scripterror

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Map is a decoded source map of version 3. It is immutable; a nil Map maps nothing. Lines and
// columns count from 1. Columns are UTF-16 units, as in V8 traces and in source maps.
type Map struct {
	sources []string
	texts   []string
	lines   [][]segment // segments of each generated line
}

// A segment maps generated text, from a column up to the next segment, to a position in a
// source. Numbers count from 0, as in the file format.
type segment struct {
	column               int
	source, line, origin int // origin is the column in the source; source is -1 without a source
}

// document is the part of a source map file that this package reads.
type document struct {
	Version        int      `json:"version"`
	Sources        []string `json:"sources"`
	SourcesContent []string `json:"sourcesContent,omitempty"`
	Mappings       string   `json:"mappings"`
	Names          []string `json:"names"`
}

// ParseMap decodes a source map. Empty text is an empty map.
func ParseMap(text string) (*Map, error) {
	if text == "" {
		return &Map{}, nil
	}
	d, err := decode(text)
	if err != nil {
		return nil, err
	}
	lines, err := parseMappings(d.Mappings, len(d.Sources))
	if err != nil {
		return nil, err
	}
	return &Map{sources: d.Sources, texts: d.SourcesContent, lines: lines}, nil
}

func decode(text string) (document, error) {
	var d document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return document{}, fmt.Errorf("source map: %w", err)
	}
	if d.Version != 3 {
		return document{}, fmt.Errorf("source map: version %d is not 3", d.Version)
	}
	return d, nil
}

// Lookup returns the position in a source of a generated position. ok is false for generated
// text without a source.
func (m *Map) Lookup(line, column int) (source string, srcLine, srcColumn int, ok bool) {
	if m == nil || line < 1 || line > len(m.lines) {
		return "", 0, 0, false
	}
	segments := m.lines[line-1]
	after, found := slices.BinarySearchFunc(segments, column-1, func(s segment, column int) int {
		return cmp.Compare(s.column, column)
	})
	if found { // of several segments at one column, the last one counts
		for after < len(segments) && segments[after].column == column-1 {
			after++
		}
	}
	if after == 0 || segments[after-1].source < 0 {
		return "", 0, 0, false
	}
	s := segments[after-1]
	return m.sources[s.source], s.line + 1, s.origin + 1, true
}

// Excerpt returns the line of the first source with a caret under the column, or "" if
// the map does not contain the text of the source.
func (m *Map) Excerpt(line, column int) string {
	if m == nil || len(m.texts) == 0 {
		return ""
	}
	return Excerpt(m.texts[0], line, column)
}

// parseMappings decodes the segments. Each field is the difference to the previous segment;
// the generated column starts at 0 on every line.
func parseMappings(mappings string, sources int) ([][]segment, error) {
	lines := make([][]segment, 0, strings.Count(mappings, ";")+1)
	at := segment{}
	for line := range strings.SplitSeq(mappings, ";") {
		var segments []segment
		at.column = 0
		for text := range strings.SplitSeq(line, ",") {
			if text == "" {
				continue
			}
			fields, err := decodeVLQ(text)
			if err != nil {
				return nil, err
			}
			at.column += fields[0]
			s := segment{column: at.column, source: -1}
			if len(fields) >= 4 {
				at.source, at.line, at.origin = at.source+fields[1], at.line+fields[2], at.origin+fields[3]
				s = at
			}
			if s.column < 0 || s.source >= sources || at.source < 0 || at.line < 0 || at.origin < 0 {
				return nil, errors.New("source map: a mapping points outside its sources")
			}
			segments = append(segments, s)
		}
		slices.SortStableFunc(segments, func(a, b segment) int { return cmp.Compare(a.column, b.column) })
		lines = append(lines, segments)
	}
	return lines, nil
}
