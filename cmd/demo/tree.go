package demo

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"strings"
)

// maxTreeLines is the maximum number of lines of the drawing.
const maxTreeLines = 2000

var treeTool = announcement{
	name:        "tree",
	title:       "Directory tree",
	description: "Draws the folders and files below a folder, one a line, indented; folders end in a slash.",
	input: `{"type":"object","additionalProperties":false,"properties":{
		"dir":{"type":"string","default":".","description":"Folder to start from."},
		"depth":{"type":"integer","minimum":1,"maximum":100,"default":3,"description":"How many levels down."}}}`,
	output: `{"type":"object","additionalProperties":false,"required":["text","folders","files","truncated"],"properties":{
		"text":{"type":"string"},
		"folders":{"type":"integer","description":"Drawn."},
		"files":{"type":"integer","description":"Drawn."},
		"truncated":{"type":"boolean","description":"There is more to draw, deeper levels aside."}}}`,
}

type treeArgs struct {
	Dir   string `json:"dir"`
	Depth int    `json:"depth"`
}

type treeResult struct {
	Text      string `json:"text"`
	Folders   int    `json:"folders"`
	Files     int    `json:"files"`
	Truncated bool   `json:"truncated"`
}

func (f *files) tree(ctx context.Context, args treeArgs) (treeResult, error) {
	var result treeResult
	levels := cmp.Or(args.Depth, 3)
	dir, err := within(args.Dir)
	if err != nil {
		return result, err
	}
	var text strings.Builder
	result.Truncated, err = f.walk(ctx, dir, func(name string, entry fs.DirEntry) error {
		if result.Folders+result.Files == maxTreeLines {
			return errEnough
		}
		level := depth(dir, name)
		text.WriteString(strings.Repeat("  ", level-1) + path.Base(name))
		if !entry.IsDir() {
			result.Files++
			text.WriteByte('\n')
			return nil
		}
		result.Folders++
		text.WriteString("/\n")
		if level == levels {
			return fs.SkipDir
		}
		return nil
	})
	result.Text = text.String()
	return result, err
}
