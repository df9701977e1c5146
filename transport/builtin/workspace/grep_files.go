package workspace

import (
	"context"
	"io/fs"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// GrepFiles is the tool grepFiles.
var GrepFiles = tool.Tool{
	Name:  "grepFiles",
	Title: "Search the content of files",
	Description: "Find the files with a line that matches a regular expression. Hidden files, binary files and files that .gitignore " +
		"names are left out. Paths are relative to the root of the server.",
	Input: `{"type": "object", "required": ["pattern"], "additionalProperties": false, "properties": {
		"pattern": {"type": "string", "minLength": 1, "description": "a regular expression (RE2), such as func\\s+main"},
		"include": {"type": "string", "description": "a glob of the files to search, such as *.{ts,tsx}"},
		"path": {"type": "string", "description": "the folder or file to search; default: the root"},
		"limit": {"type": "integer", "minimum": 1, "default": 100, "description": "how many files to find"}}}`,
	Output:      tool.ContentSchema("the paths of the files, one a line; empty if there is none"),
	Annotations: tool.Reads(),
	Run:         tool.Func(grepFiles),
}

type grepFilesArgs struct {
	Pattern string `json:"pattern"`
	Include string `json:"include"`
	Path    string `json:"path"`
	Limit   int    `json:"limit"`
}

func grepFiles(ctx context.Context, w *tool.Workspace, args grepFilesArgs) (tool.Content, error) {
	if args.Path == "" {
		args.Path = "."
	}
	dir, err := w.Path(args.Path, "")
	if err != nil {
		return tool.Content{}, err
	}
	s := Search{Dir: dir, Limit: args.Limit}
	if s.Limit == 0 {
		s.Limit = 100
	}
	if s.Pattern, err = Compile(args.Pattern); err != nil {
		return tool.Content{}, err
	}
	if s.Include, err = Glob(ctx, args.Include); err != nil {
		return tool.Content{}, err
	}
	info, err := w.Root.Stat(dir)
	if err != nil {
		return tool.Content{}, tool.Explain(dir, err)
	}
	var names []string
	if info.Mode().Type() == fs.ModeDir {
		names, err = s.Files(ctx, w)
	} else {
		names, err = s.One(ctx, w, dir)
	}
	if err != nil {
		return tool.Content{}, err
	}
	return tool.Content{Content: joined(names), Success: true}, nil
}
