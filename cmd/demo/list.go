package demo

import (
	"cmp"
	"context"
	"io/fs"
	"strings"
	"time"
)

var listTool = announcement{
	name:  "list_files",
	title: "List files",
	description: "Lists the files below a folder with their sizes, sorted by path. " +
		"Narrow it down with a glob and a depth.",
	input: `{"type":"object","additionalProperties":false,"properties":{
		"dir":{"type":"string","default":".","description":"Folder to start from."},
		"glob":{"type":"string","description":"Which files: \"*.go\" at any depth, or a path such as \"src/**/*.ts\"."},
		"depth":{"type":"integer","minimum":1,"description":"How many levels down; 1 is the folder itself. Default: all."},
		"limit":{"type":"integer","minimum":1,"maximum":10000,"default":1000,"description":"At most so many files."}}}`,
	output: `{"type":"object","additionalProperties":false,"required":["files","truncated"],"properties":{
		"files":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["path","bytes","modified"],"properties":{
			"path":{"type":"string","description":"Relative to the served directory."},
			"bytes":{"type":"integer"},
			"modified":{"type":"string","format":"date-time"}}}},
		"truncated":{"type":"boolean","description":"There are more files than these."}}}`,
}

type listArgs struct {
	Dir   string `json:"dir"`
	Glob  string `json:"glob"`
	Depth int    `json:"depth"`
	Limit int    `json:"limit"`
}

type listResult struct {
	Files     []listedFile `json:"files"`
	Truncated bool         `json:"truncated"`
}

type listedFile struct {
	Path     string    `json:"path"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
}

func (f *files) list(ctx context.Context, args listArgs) (listResult, error) {
	limit := cmp.Or(args.Limit, 1000)
	result := listResult{Files: []listedFile{}}
	dir, err := within(args.Dir)
	if err != nil {
		return result, err
	}
	result.Truncated, err = f.walkFiles(ctx, dir, args.Glob, func(name string, info fs.FileInfo) error {
		switch {
		case args.Depth > 0 && depth(dir, name) > args.Depth:
			return nil
		case len(result.Files) == limit:
			return errEnough
		}
		result.Files = append(result.Files, listedFile{name, info.Size(), info.ModTime().UTC()})
		return nil
	})
	return result, err
}

// depth returns the number of levels of a path below dir: 1 for an entry of dir.
func depth(dir, name string) int {
	if dir != "." {
		name = strings.TrimPrefix(name, dir+"/")
	}
	return strings.Count(name, "/") + 1
}
