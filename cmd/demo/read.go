package demo

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
)

// maxText is the maximum length of the text in one answer.
const maxText = 256 << 10

var readTool = announcement{
	name:  "read_file",
	title: "Read a file",
	description: "Returns a text file, or some of its lines. " +
		"One answer holds up to 256 KiB; read on from line `to` + 1 when `truncated` is set.",
	input: `{"type":"object","additionalProperties":false,"required":["path"],"properties":{
		"path":{"type":"string"},
		"from":{"type":"integer","minimum":1,"default":1,"description":"First line."},
		"to":{"type":"integer","minimum":1,"description":"Last line. Default: the end of the file."}}}`,
	output: `{"type":"object","additionalProperties":false,"required":["path","text","from","to","lines","truncated"],"properties":{
		"path":{"type":"string"},
		"text":{"type":"string","description":"The lines, each with its line break."},
		"from":{"type":"integer","description":"First line of text."},
		"to":{"type":"integer","description":"Last line of text; less than from when there is none."},
		"lines":{"type":"integer","description":"How many lines the whole file has."},
		"truncated":{"type":"boolean","description":"Lines that were asked for are left out."}}}`,
}

type readArgs struct {
	Path string `json:"path"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

type readResult struct {
	Path      string `json:"path"`
	Text      string `json:"text"`
	From      int    `json:"from"`
	To        int    `json:"to"`
	Lines     int    `json:"lines"`
	Truncated bool   `json:"truncated"`
}

func (f *files) read(_ context.Context, args readArgs) (readResult, error) {
	data, err := f.content(args.Path)
	if err != nil {
		return readResult{}, err
	}
	from := cmp.Or(args.From, 1)
	if args.To > 0 && args.To < from {
		return readResult{}, fmt.Errorf("lines %d to %d are not a range", from, args.To)
	}
	result := readResult{Path: args.Path, From: from, To: from - 1}
	var text strings.Builder
	for line := range bytes.Lines(data) {
		result.Lines++
		if result.Truncated || result.Lines < from || args.To > 0 && result.Lines > args.To {
			continue
		}
		if text.Len()+len(line) > maxText && text.Len() > 0 {
			result.Truncated = true
			continue
		}
		text.WriteString(strings.ToValidUTF8(string(line[:min(len(line), maxText)]), "\uFFFD"))
		result.To = result.Lines
		result.Truncated = len(line) > maxText
	}
	result.Text = text.String()
	return result, nil
}
