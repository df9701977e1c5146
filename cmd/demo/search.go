package demo

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// maxMatchText is the maximum length of the shown part of a line.
const maxMatchText = 400

var searchTool = announcement{
	name:  "search_text",
	title: "Search in files",
	description: "Finds the lines of text files that match a regular expression (RE2 syntax), with path and line number. " +
		"Files that are not text are skipped.",
	input: `{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{
		"pattern":{"type":"string","minLength":1,"description":"Regular expression, matched line by line."},
		"dir":{"type":"string","default":".","description":"Folder to start from."},
		"glob":{"type":"string","description":"Which files: \"*.go\" at any depth, or a path such as \"src/**/*.ts\"."},
		"ignoreCase":{"type":"boolean","default":false},
		"limit":{"type":"integer","minimum":1,"maximum":5000,"default":200,"description":"At most so many matches."}}}`,
	output: `{"type":"object","additionalProperties":false,"required":["matches","filesSearched","truncated"],"properties":{
		"matches":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["path","line","column","text"],"properties":{
			"path":{"type":"string"},
			"line":{"type":"integer","description":"From 1."},
			"column":{"type":"integer","description":"Of the first match in the line, in bytes, from 1."},
			"text":{"type":"string","description":"The line, without blanks at its ends; a long one is cut."}}}},
		"filesSearched":{"type":"integer"},
		"truncated":{"type":"boolean","description":"There may be more matches than these."}}}`,
}

type searchArgs struct {
	Pattern    string `json:"pattern"`
	Dir        string `json:"dir"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignoreCase"`
	Limit      int    `json:"limit"`
}

type searchResult struct {
	Matches       []match `json:"matches"`
	FilesSearched int     `json:"filesSearched"`
	Truncated     bool    `json:"truncated"`
}

type match struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

func (f *files) search(ctx context.Context, args searchArgs) (searchResult, error) {
	result := searchResult{Matches: []match{}}
	pattern := args.Pattern
	if args.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return result, fmt.Errorf("the pattern is not a regular expression: %w", err)
	}
	limit := cmp.Or(args.Limit, 200)
	result.Truncated, err = f.walkFiles(ctx, args.Dir, args.Glob, func(name string, _ fs.FileInfo) error {
		data, err := f.content(name)
		if err != nil {
			return nil //nolint:nilerr // not text, too large or not readable
		}
		result.FilesSearched++
		return result.searchFile(name, data, re, limit)
	})
	return result, err
}

// searchFile adds the matches of one file, and returns errEnough at the limit.
func (r *searchResult) searchFile(name string, data []byte, re *regexp.Regexp, limit int) error {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		at := re.FindIndex(line)
		if at == nil {
			continue
		}
		if len(r.Matches) == limit {
			return errEnough
		}
		r.Matches = append(r.Matches, match{name, number, at[0] + 1, around(line, at[0])})
	}
	return nil
}

// around returns a line, or the part of a long line around the match.
func around(line []byte, at int) string {
	start := 0
	if len(line) > maxMatchText {
		start = max(0, min(at-maxMatchText/4, len(line)-maxMatchText))
		line = line[start : start+maxMatchText]
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(line), "\uFFFD"))
}
