package workspace

import (
	"context"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// WriteFile is the tool writeFile.
var WriteFile = tool.Tool{
	Name:  "writeFile",
	Title: "Write a file",
	Description: "Create or replace a text file. Missing folders are created, and an existing file is replaced in one step. " +
		"The content comes from the script, so that it need not pass through a model.",
	Input: `{"type": "object", "required": ["filePath", "content"], "additionalProperties": false, "properties": {
		"filePath": {"type": "string", "description": "the file, relative to the root of the server"},
		"content": {"type": "string", "description": "the whole text of the file"}}}`,
	Output:           tool.ContentSchema("A or M for a file that is new or changed, and its path; empty if it has this content already"),
	Annotations:      tool.Changes(),
	RequiresApproval: true,
	Run:              tool.Func(writeFile),
}

type writeFileArgs struct {
	FilePath string `json:"filePath"`
	Content  string `json:"content"`
}

func writeFile(ctx context.Context, w *tool.Workspace, args writeFileArgs) (tool.Content, error) {
	path, err := w.Path(args.FilePath, "")
	if err != nil {
		return tool.Content{}, err
	}
	set := New(w)
	if err := set.Write(path, args.Content); err != nil {
		return tool.Content{}, err
	}
	if err := set.Commit(ctx); err != nil {
		return tool.Content{}, err
	}
	return tool.Content{Content: joined(set.Summary()), Success: true}, nil
}
